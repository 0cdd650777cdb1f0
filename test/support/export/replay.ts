// Applies increments as a client that keeps exports does: a row replaces the one with the same key, and records follow
// a renamed shape.
import type { ExportRow } from '@cairn/protocol/export';

export class ReplayedExport {
  readonly #rows = new Map<string, ExportRow>();
  /** Durable ID of the shape, by durable ID of the record. */
  readonly #shapes = new Map<string, string>();

  apply(rows: readonly ExportRow[]): void {
    for (const row of rows) this.#rows.set(keyOf(row), row);
    const shapeIds = new Map([...this.#shapeNames()].map(([durableId, name]) => [name, durableId]));
    for (const { durableId, shapeName } of rows) {
      if (shapeName !== undefined) this.#shapes.set(durableId, shapeIds.get(shapeName) ?? `no shape ${shapeName}`);
    }
  }

  #shapeNames(): Map<string, string> {
    const shapes = [...this.#rows.values()].filter(({ kind }) => kind === 'shape');
    return new Map(shapes.map(({ durableId, name }) => [durableId, name]));
  }

  rows(): ExportRow[] {
    const names = this.#shapeNames();
    const sorted = [...this.#rows.values()].sort((a, b) =>
      a.durableId === b.durableId ? a.version - b.version : a.durableId < b.durableId ? -1 : 1,
    );
    return sorted.map((row) => {
      if (row.shapeName === undefined) return row;
      const shapeName = names.get(this.#shapes.get(row.durableId) ?? '') ?? '';
      return { ...row, name: `${shapeName}${row.name.slice(row.shapeName.length)}`, shapeName };
    });
  }
}

function keyOf({ kind, durableId, version }: ExportRow): string {
  return kind === 'shape' ? `${durableId}@v${version}` : durableId;
}
