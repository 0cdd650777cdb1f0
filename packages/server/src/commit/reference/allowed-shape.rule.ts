// Which shapes the `wref` fields of a shape ask for. A name that was someone's when the field was defined means that
// shape, whatever it is called since: its identity stands among the references of the definition. A name that was
// nobody's means who bears it when a record is written.
import { parseReferences } from '../../model/reference.ts';
import type { WrefField } from '../../shape/shape.rule.ts';
import { restrictionsIn } from '../../shape/shape-restriction.rule.ts';
import type { Head } from '../record-set.sql.ts';
import type { Resolved } from './target-set.sql.ts';

const NAMES_SHOWN_MAX = 10;

type NameOf = (shapeId: number) => string | undefined;

interface Allowed {
  readonly ids: ReadonlySet<number>;
  readonly names: ReadonlySet<string>;
}

export class AllowedShapes {
  readonly #meant: ReadonlyMap<string, number>;
  readonly #fields = new Map<WrefField, Allowed>();

  constructor({ data, refs }: Pick<Head, 'data' | 'refs'>) {
    const ids = new Map(parseReferences(refs).map(({ path, recordId }) => [path, recordId]));
    const restrictions = ids.size === 0 ? [] : restrictionsIn(JSON.parse(data));
    this.#meant = new Map(
      restrictions.flatMap(({ path, shapeName }): [string, number][] => {
        const id = ids.get(path);
        return id === undefined ? [] : [[shapeName, id]];
      }),
    );
  }

  /** A message when a target is of another shape; `nameOf` tells what a shape is called now. */
  refuse(field: WrefField, { shapeId, shapeName, wref }: Resolved, nameOf: NameOf): string | undefined {
    if (field.shapes === undefined) return undefined;
    const { ids, names } = this.#allowed(field, field.shapes);
    // Shapes of other repositories are known by their names alone.
    const fits =
      shapeId === undefined
        ? shapeName !== undefined && field.shapes.includes(shapeName)
        : ids.has(shapeId) || (shapeName !== undefined && names.has(shapeName));
    if (fits) return undefined;
    const present = (name: string) => nameOf(this.#meant.get(name) ?? 0) ?? name;
    const shown = field.shapes.slice(0, NAMES_SHOWN_MAX).map(present).join(' or ');
    return `expected a wref of ${shown}${field.shapes.length > NAMES_SHOWN_MAX ? ' or others' : ''}, got ${wref}`;
  }

  #allowed(field: WrefField, shapes: readonly string[]): Allowed {
    const known = this.#fields.get(field);
    if (known !== undefined) return known;
    const allowed = {
      ids: new Set(shapes.flatMap((name) => this.#meant.get(name) ?? [])),
      names: new Set(shapes.filter((name) => !this.#meant.has(name))),
    };
    this.#fields.set(field, allowed);
    return allowed;
  }
}
