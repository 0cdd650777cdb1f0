import type { ProcedureInput } from '@cairn/protocol/procedures';
import type { RecordItem, ShapeItem } from '@cairn/protocol/record';
import type { List } from './list.ts';
import type { RepositoryAddress } from './surfaces.ts';
import type { CallOptions } from './transport.ts';

/** What a list of shapes can be told. */
export type ListShapes = Omit<ProcedureInput<'shape.list'>, RepositoryAddress> & CallOptions;
/** At which sequence a shape is read, and whether a retracted one too. */
export type GetShape = Omit<ProcedureInput<'shape.get'>, RepositoryAddress | 'name'> & CallOptions;
/** What a list of a shape's versions can be told. */
export type ShapeHistory = Omit<ProcedureInput<'shape.history'>, RepositoryAddress | 'name'> & CallOptions;
/** What a shape is created with. */
export type CreateShape = Omit<ProcedureInput<'shape.create'>, RepositoryAddress | 'name'> & CallOptions;
/** The whole field set of a new version of a shape. */
export type ReviseShape = Omit<ProcedureInput<'shape.revise'>, RepositoryAddress | 'name'> & CallOptions;
/** What retracting a shape can be told. */
export type RetractShape = Omit<ProcedureInput<'shape.retract'>, RepositoryAddress | 'name'> & CallOptions;
/** What renaming a shape can be told. */
export type RenameShape = Omit<ProcedureInput<'shape.rename'>, RepositoryAddress | 'name' | 'newName'> & CallOptions;

/**
 * Shapes: the versioned schemas that records are validated against.
 *
 * @example
 * await client.shape.create('acme', 'world', 'Location', { fields: { x: 'number', 'label?': 'string' } });
 * await client.shape.revise('acme', 'world', 'Location', { fields: { x: { type: 'number', indexed: true } } });
 * const { indexes } = await client.shape.get('acme', 'world', 'Location');
 * for await (const { version } of client.shape.history('acme', 'world', 'Location')) console.log(version);
 * await client.shape.rename('acme', 'world', 'Location', 'Place');
 * await client.shape.retract('acme', 'world', 'Place', { reason: 'There are no places any more' });
 * for await (const { name } of client.shape.list('acme', 'world')) console.log(name);
 */
export interface ShapeSurface {
  /** The active shapes, by name. */
  list(orgName: string, repoName: string, options?: ListShapes): List<RecordItem>;
  /** One shape, with the state of its indexes. */
  get(orgName: string, repoName: string, name: string, options?: GetShape): Promise<ShapeItem>;
  /** Its versions, newest first. */
  history(orgName: string, repoName: string, name: string, options?: ShapeHistory): List<RecordItem>;
  /** One that is there, retracted or not, is refused. */
  create(orgName: string, repoName: string, name: string, options: CreateShape): Promise<ShapeItem>;
  /** Takes the whole field set. Records keep the version that they were validated with until their next write. */
  revise(orgName: string, repoName: string, name: string, options: ReviseShape): Promise<ShapeItem>;
  /** Takes it out of the head; its records stay. */
  retract(orgName: string, repoName: string, name: string, options?: RetractShape): Promise<ShapeItem>;
  /** Its records follow: `Location/cave` becomes `Place/cave`. The old name is free at once. */
  rename(orgName: string, repoName: string, name: string, newName: string, options?: RenameShape): Promise<ShapeItem>;
}
