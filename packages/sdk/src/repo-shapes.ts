// The shapes of one repository, with those that a program defines.
import { CairnError } from '@cairn/protocol/errors';
import type { ShapeItem } from '@cairn/protocol/record';
import type { AnyShape } from './define-shape.ts';
import { type Bound, type BoundTo, bind } from './repo-bound.ts';
import type { ShapeSurface } from './shape.ts';
import type { CallOptions } from './transport.ts';

/**
 * The shapes of a repository.
 *
 * @example
 * const Sensor = defineShape('Sensor', { x: 'number' }, { description: 'What measures' });
 * const { version } = await repo.shapes.ensure(Sensor);
 * for await (const { name } of repo.shapes.list()) console.log(name);
 */
export interface RepoShapes extends Bound<ShapeSurface> {
  /**
   * Has the shape as it is defined: creates it, gives it a new version where it differs, and leaves it where it does not.
   */
  ensure(shape: AnyShape, options?: CallOptions): Promise<ShapeItem>;
}

export function repoShapes(surface: ShapeSurface, repo: BoundTo): RepoShapes {
  const shapes = bind(surface, repo);
  return {
    ...shapes,
    ensure: async ({ name, fields, description }, options) => {
      const definition = { fields, ...(description !== undefined && { description }), ...options };
      // Revising it to what it is makes no version.
      const revise = () => shapes.revise(name, definition);
      return await revise()
        .catch(unless('NOT_FOUND', () => shapes.create(name, definition)))
        .catch(unless('ALREADY_EXISTS', revise));
    },
  };
}

/** What to do about one error; another is thrown on. */
function unless<Result>(code: CairnError['code'], mend: () => Promise<Result>): (error: unknown) => Promise<Result> {
  return async (error) => {
    if (error instanceof CairnError && error.code === code) return await mend();
    throw error;
  };
}
