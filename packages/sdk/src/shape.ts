import type { Page } from '@cairn/protocol/page';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import type { RecordItem } from '@cairn/protocol/record';
import type { ShapeItem } from '@cairn/protocol/shape';
import type { Call } from './transport.ts';

type Address = 'orgName' | 'repoName';

export type ListShapes = Omit<ProcedureInput<'shape.list'>, Address>;
export type GetShape = Omit<ProcedureInput<'shape.get'>, Address | 'name'>;
export type ShapeHistory = Omit<ProcedureInput<'shape.history'>, Address | 'name'>;
export type CreateShape = Omit<ProcedureInput<'shape.create'>, Address | 'name'>;
export type ReviseShape = Omit<ProcedureInput<'shape.revise'>, Address | 'name'>;
export type RetractShape = Omit<ProcedureInput<'shape.retract'>, Address | 'name'>;
export type RenameShape = Omit<ProcedureInput<'shape.rename'>, Address | 'name' | 'newName'>;

/**
 * Shapes: the versioned schemas that records are validated against.
 *
 * @example
 * await client.shape.create('acme', 'world', 'Location', { fields: { x: 'number', 'label?': 'string' } });
 * await client.shape.rename('acme', 'world', 'Location', 'Place');
 */
export interface ShapeSurface {
  /** A page of the active shapes, by name. */
  list(orgName: string, repoName: string, options?: ListShapes): Promise<Page<RecordItem>>;
  /** One shape, with the state of its indexes. */
  get(orgName: string, repoName: string, name: string, options?: GetShape): Promise<ShapeItem>;
  /** Its versions, newest first. */
  history(orgName: string, repoName: string, name: string, options?: ShapeHistory): Promise<Page<RecordItem>>;
  create(orgName: string, repoName: string, name: string, options: CreateShape): Promise<ShapeItem>;
  /** Takes the whole field set. Records keep the version that they were validated with until their next write. */
  revise(orgName: string, repoName: string, name: string, options: ReviseShape): Promise<ShapeItem>;
  retract(orgName: string, repoName: string, name: string, options?: RetractShape): Promise<ShapeItem>;
  /** Its records follow: `Location/cave` becomes `Place/cave`. The old name is free at once. */
  rename(orgName: string, repoName: string, name: string, newName: string, options?: RenameShape): Promise<ShapeItem>;
}

export function shapeSurface(call: Call): ShapeSurface {
  return {
    list: (orgName, repoName, options = {}) => call('shape.list', { orgName, repoName, ...options }),
    get: (orgName, repoName, name, options = {}) => call('shape.get', { orgName, repoName, name, ...options }),
    history: (orgName, repoName, name, options = {}) => call('shape.history', { orgName, repoName, name, ...options }),
    create: (orgName, repoName, name, options) => call('shape.create', { orgName, repoName, name, ...options }),
    revise: (orgName, repoName, name, options) => call('shape.revise', { orgName, repoName, name, ...options }),
    retract: (orgName, repoName, name, options = {}) => call('shape.retract', { orgName, repoName, name, ...options }),
    rename: (orgName, repoName, name, newName, options = {}) =>
      call('shape.rename', { orgName, repoName, name, newName, ...options }),
  };
}
