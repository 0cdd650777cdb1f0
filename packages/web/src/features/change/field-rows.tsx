import { type FieldRow, withRow } from '../shape/shape-draft.ts';
import { FieldRowForm } from './field-row.tsx';

interface FieldRowsProps {
  readonly rows: readonly FieldRow[];
  readonly onChange: (rows: readonly FieldRow[]) => void;
  /** The shapes that there are, once they are known, and the one that is edited. */
  readonly known: readonly string[] | undefined;
  readonly own: string;
  /** What the server said, by its paths. */
  readonly said: ReadonlyMap<string, string>;
}

/** The fields of a shape, one below the other. */
export function FieldRows({ rows, onChange, known, own, said }: FieldRowsProps) {
  const shapes = known && own !== '' && !known.includes(own) ? [...known, own] : known;
  const put = (place: number, row: FieldRow) => onChange(rows.map((old, index) => (index === place ? row : old)));
  const take = (place: number) => onChange(rows.filter((_, index) => index !== place));
  return (
    <>
      {rows.map((row, place) => (
        <FieldRowForm
          key={row.id}
          number={place + 1}
          row={row}
          isTwice={row.name !== '' && rows.findIndex(({ name }) => name === row.name) < place}
          known={shapes}
          said={said}
          onChange={(next) => put(place, next)}
          onRemove={() => take(place)}
        />
      ))}
      <button type="button" className="small" onClick={() => onChange(withRow(rows))}>
        Add a field
      </button>
    </>
  );
}
