import type { ProcedureInput } from '@cairn/protocol/procedures';
import type { RecordItem, ShapeItem } from '@cairn/protocol/record';
import type { List } from './list.ts';
import type { RepositoryAddress } from './surfaces.ts';
import type { CallOptions } from './transport.ts';

/** Options of `shape.list`. */
export type ListShapes = Omit<ProcedureInput<'shape.list'>, RepositoryAddress> & CallOptions;
/** Options of `shape.get`, such as the sequence to read at. */
export type GetShape = Omit<ProcedureInput<'shape.get'>, RepositoryAddress | 'name'> & CallOptions;
/** Options of `shape.history`. */
export type ShapeHistory = Omit<ProcedureInput<'shape.history'>, RepositoryAddress | 'name'> & CallOptions;
/** Options of `shape.create`: the fields of the shape. */
export type CreateShape = Omit<ProcedureInput<'shape.create'>, RepositoryAddress | 'name'> & CallOptions;
/** Options of `shape.revise`: the complete fields of the new version. */
export type ReviseShape = Omit<ProcedureInput<'shape.revise'>, RepositoryAddress | 'name'> & CallOptions;
/** Options of `shape.retract`. */
export type RetractShape = Omit<ProcedureInput<'shape.retract'>, RepositoryAddress | 'name'> & CallOptions;
/** Options of `shape.rename`. */
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
  /** Active shapes, by name. */
  list(orgName: string, repoName: string, options?: ListShapes): List<RecordItem>;
  /** One shape, with the state of its indexes. */
  get(orgName: string, repoName: string, name: string, options?: GetShape): Promise<ShapeItem>;
  /** Versions of a shape, newest first. */
  history(orgName: string, repoName: string, name: string, options?: ShapeHistory): List<RecordItem>;
  /** Creates a shape. An existing one is refused, even if it is retracted. */
  create(orgName: string, repoName: string, name: string, options: CreateShape): Promise<ShapeItem>;
  /**
   * Creates a new version, with the complete fields. Records keep the version that validated them until their next
   * write.
   */
  revise(orgName: string, repoName: string, name: string, options: ReviseShape): Promise<ShapeItem>;
  /** Removes a shape from the head. Its records remain. */
  retract(orgName: string, repoName: string, name: string, options?: RetractShape): Promise<ShapeItem>;
  /** Renames a shape and its records: `Location/cave` becomes `Place/cave`. The old name is free at once. */
  rename(orgName: string, repoName: string, name: string, newName: string, options?: RenameShape): Promise<ShapeItem>;
}
