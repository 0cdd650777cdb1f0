import { useId } from 'react';
import {
  choicesIn,
  type FieldRow,
  referredBy,
  SIMPLE_TYPES,
  suggestedShapes,
  withRow,
} from '../../data/shape-draft.ts';
import type { Limit, Limits } from '../../data/shape-limit.ts';
import { saidAgainst } from '../../data/shape-row-path.ts';
import { ChoiceField, TextField, TickField } from '../../parts/form/field.tsx';
import { Text } from '../../parts/text.tsx';
import { NumberLimits, TextLimits } from './limit-fields.tsx';
import { UnknownShapes } from './unknown-shapes.tsx';

interface FieldRowsProps {
  readonly rows: readonly FieldRow[];
  readonly onChange: (rows: readonly FieldRow[]) => void;
  /** The shapes that there are, once they are known, and the one that is edited. */
  readonly known: readonly string[] | undefined;
  readonly own: string;
  /** What the server said, by its paths. */
  readonly said: ReadonlyMap<string, string>;
}

const TYPES: readonly { readonly value: FieldRow['type']; readonly label: string }[] = [
  { value: 'string', label: 'string: text' },
  { value: 'number', label: 'number' },
  { value: 'boolean', label: 'boolean: yes or no' },
  { value: 'wref', label: 'wref: a reference to a record' },
  { value: 'json', label: 'json: anything' },
  { value: 'other', label: 'something else, as JSON' },
];

/** The fields of a shape, one below the other. */
export function FieldRows({ rows, onChange, known, own, said }: FieldRowsProps) {
  const shapes = known && own !== '' && !known.includes(own) ? [...known, own] : known;
  const put = (place: number, row: FieldRow) => onChange(rows.map((old, index) => (index === place ? row : old)));
  const take = (place: number) => onChange(rows.filter((_, index) => index !== place));
  return (
    <>
      {rows.map((row, place) => (
        <Row
          key={row.id}
          number={place + 1}
          row={row}
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

interface RowProps {
  readonly number: number;
  readonly row: FieldRow;
  readonly known: readonly string[] | undefined;
  readonly said: ReadonlyMap<string, string>;
  readonly onChange: (row: FieldRow) => void;
  readonly onRemove: () => void;
}

function Row({ number, row, known, said, onChange, onRemove }: RowProps) {
  const id = useId();
  const set = (changed: Partial<FieldRow>) => onChange({ ...row, ...changed });
  const isSimple = SIMPLE_TYPES.some((type) => type === row.type);
  const refused = saidAgainst(said, row);
  return (
    <fieldset className="fields field-row" aria-describedby={id}>
      <legend id={id}>{row.name === '' ? `Field ${number}` : `Field ${row.name}`}</legend>
      <TextField label="Field name" value={row.name} onChange={(name) => set({ name })} />
      <ChoiceField label="Type" value={row.type} options={TYPES} onChange={(type) => set({ type })} />
      {isSimple ? (
        <>
          <TickField label="Optional" isTicked={row.isOptional} onChange={(isOptional) => set({ isOptional })} />
          <TickField label="A list of them" isTicked={row.isList} onChange={(isList) => set({ isList })} />
          <OfType row={row} known={known} said={said} set={set} />
          <TextField label="Description" value={row.description} onChange={(description) => set({ description })} />
          {!row.isList && row.type !== 'json' && (
            <TickField
              label="Indexed"
              hint="Filters on it are fast. For records that are there, the index is built in the background."
              isTicked={row.isIndexed}
              onChange={(isIndexed) => set({ isIndexed })}
            />
          )}
        </>
      ) : (
        <>
          <TickField label="Optional" isTicked={row.isOptional} onChange={(isOptional) => set({ isOptional })} />
          <TextField
            label="Definition as JSON"
            hint='Such as { "x": "number", "y": "number" } for an object.'
            isLong
            value={row.json}
            onChange={(json) => set({ json })}
          />
        </>
      )}
      {refused !== undefined && <p className="problem">{refused}</p>}
      <button type="button" className="small" aria-label={`Remove field ${row.name || number}`} onClick={onRemove}>
        Remove
      </button>
    </fieldset>
  );
}

interface OfTypeProps extends Pick<RowProps, 'row' | 'known' | 'said'> {
  readonly set: (changed: Partial<FieldRow>) => void;
}

function OfType({ row, known, said, set }: OfTypeProps) {
  if (row.type === 'wref') {
    return (
      <TextField
        label="Refers to"
        hint={
          <>
            Shapes, separated by commas. Left empty: any. <UnknownShapes named={referredBy(row)} known={known} />
          </>
        }
        suggestions={suggestedShapes(row.shapes, known ?? [])}
        value={row.shapes}
        problem={saidAgainst(said, row, 'shape')}
        onChange={(shapes) => set({ shapes })}
      />
    );
  }
  if (row.type !== 'string' && row.type !== 'number') return null;
  const setLimits = (changed: Limits) => set({ limits: { ...row.limits, ...changed } });
  const limits = {
    limits: row.limits,
    set: setLimits,
    refused: (name: Limit) => saidAgainst(said, row, name),
  };
  return (
    <>
      <TextField
        label="Only these values"
        hint={<Understood values={choicesIn(row)} />}
        isLong
        value={row.choices}
        problem={saidAgainst(said, row, 'enum')}
        onChange={(choices) => set({ choices })}
      />
      {row.type === 'number' ? <NumberLimits type="number" {...limits} /> : <TextLimits type="string" {...limits} />}
    </>
  );
}

function Understood({ values }: { values: readonly string[] }) {
  if (values.length === 0) return 'One on each line. Left empty: any.';
  return (
    <>
      One on each line. {values.length === 1 ? 'This is 1 value' : `These are ${values.length} values`}:{' '}
      <Text most={400}>{values.map((value) => `“${value}”`).join(' ')}</Text>
    </>
  );
}
