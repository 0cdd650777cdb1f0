// One field of a shape: what each has at once, and folded what most do without.
import { useId } from 'react';
import { ChoiceField, TextField, TickField } from '../../ui/field.tsx';
import { plain, Text } from '../../ui/text.tsx';
import { useTold } from '../../ui/use-told.ts';
import { type FieldRow, referredBy, SIMPLE_TYPES, suggestedShapes } from '../shape/shape-draft.ts';
import { saidAgainst } from '../shape/shape-row-path.ts';
import { besideIt } from '../shape/shape-row-problem.ts';
import { FieldMore } from './field-more.tsx';
import { UnknownShapes } from './unknown-shapes.tsx';

const TYPES: readonly { readonly value: FieldRow['type']; readonly label: string }[] = [
  { value: 'string', label: 'string: text' },
  { value: 'number', label: 'number' },
  { value: 'boolean', label: 'boolean: yes or no' },
  { value: 'wref', label: 'wref: a reference to a record' },
  { value: 'json', label: 'json: anything' },
  { value: 'other', label: 'something else, as JSON' },
];

interface FieldRowFormProps {
  readonly number: number;
  readonly row: FieldRow;
  /** Whether another before it is called so. */
  readonly isTwice: boolean;
  readonly known: readonly string[] | undefined;
  readonly said: ReadonlyMap<string, string>;
  readonly onChange: (row: FieldRow) => void;
  readonly onRemove: () => void;
}

export function FieldRowForm({ number, row, isTwice, known, said, onChange, onRemove }: FieldRowFormProps) {
  const id = useId();
  const set = (changed: Partial<FieldRow>) => onChange({ ...row, ...changed });
  const isSimple = SIMPLE_TYPES.some((type) => type === row.type);
  const refused = saidAgainst(said, row);
  const refusedJson = useTold(refused, row.json);
  return (
    <fieldset className="fields field-row" aria-describedby={id}>
      <legend id={id}>
        Field <Text>{row.name || String(number)}</Text>
      </legend>
      <div className="beside">
        <TextField
          label="Field name"
          value={row.name}
          problem={isTwice ? 'Another field is called so. Rename one of them.' : undefined}
          onChange={(name) => set({ name })}
        />
        <ChoiceField label="Type" value={row.type} options={TYPES} onChange={(type) => set({ type })} />
      </div>
      <div className="tick-row">
        <TickField label="Optional" isTicked={row.isOptional} onChange={(isOptional) => set({ isOptional })} />
        {isSimple && <TickField label="A list of them" isTicked={row.isList} onChange={(isList) => set({ isList })} />}
      </div>
      {row.type === 'wref' && <RefersTo {...{ row, known, said, set }} />}
      {isSimple ? (
        <FieldMore row={row} said={said} set={set} />
      ) : (
        <TextField
          label="Definition as JSON"
          hint='Such as { "x": "number", "y": "number" } for an object.'
          isLong
          value={row.json}
          problem={besideIt(row, 'json') ?? refusedJson}
          onChange={(json) => set({ json })}
        />
      )}
      {isSimple && refused !== undefined && (
        <p className="problem">
          <Text most={1_000}>{refused}</Text>
        </p>
      )}
      <button
        type="button"
        className="small"
        aria-label={`Remove field ${plain(row.name, 200) || number}`}
        onClick={onRemove}
      >
        Remove
      </button>
    </fieldset>
  );
}

interface RefersToProps extends Pick<FieldRowFormProps, 'row' | 'known' | 'said'> {
  readonly set: (changed: Partial<FieldRow>) => void;
}

function RefersTo({ row, known, said, set }: RefersToProps) {
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
