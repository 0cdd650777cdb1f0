import { declarationsIn, definitionOf, fieldName } from '@cairn/model/declaration';
import { isJsonObject, type JsonObject } from '@cairn/model/json';
import type { ShapeItem } from '@cairn/sdk';
import { useId, useState } from 'react';
import type { Sight } from '../../app/sight.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { SecondaryButton, SmallButton } from '../../ui/button.tsx';
import { ChoiceField, NameField, TextField, TickField } from '../../ui/field.tsx';
import { useTold } from '../../ui/page.tsx';
import { problemsOf } from '../../ui/problems.ts';
import { ProblemText, Text } from '../../ui/text.tsx';
import { plain } from '../../ui/unseen.ts';
import {
  besideIt,
  type FieldRow,
  fieldsOfRows,
  pathsOf,
  referredBy,
  rowProblems,
  rowsOf,
  SIMPLE_TYPES,
  saidAgainst,
  suggestedShapes,
  withRow,
} from '../shape/shape-draft.ts';
import { Faster, HereAgain } from './begun-note.tsx';
import { type Added, type Base, baseOf, type Change } from './change.ts';
import { FieldMore } from './field-more.tsx';
import { ShapeCheck, UnknownShapes, useKnownShapes } from './shape-check.tsx';
import { useFilled, useReview } from './use-stage.ts';

interface ShapeFormProps {
  readonly sight: Sight;
  readonly name: string;
  readonly base?: Base;
  readonly head?: ShapeItem;
  readonly kept?: Added | undefined;
  readonly data: unknown;
  readonly onKept?: ((name: string) => void) | undefined;
}

export function ShapeForm({
  sight,
  name: nameAtFirst,
  base: baseAtFirst,
  head,
  kept,
  data: atFirst,
  onKept,
}: ShapeFormProps) {
  const { stage, review, form } = useReview(sight, kept);
  const { filled, fill, isBack, first, begin, round, box, done } = useFilled<Filled>(
    sight,
    `shape ${head?.durableId ?? nameAtFirst}`,
    () => filledOf(nameAtFirst, atFirst, baseAtFirst),
  );
  const { name, description, rows, base } = filled;
  const [checked, setChecked] = useState<JsonObject>();
  const wrong = [...(name.trim() === '' ? ['Enter a name for the shape.'] : []), ...rowProblems(rows)];
  const known = useKnownShapes(sight);
  const dataNow = (): JsonObject => ({ fields: fieldsOfRows(rows), ...(description.trim() !== '' && { description }) });
  const change = (): Change =>
    base === undefined
      ? { step: 'add', kind: 'shape', name, data: dataNow() }
      : { step: 'revise', name: nameAtFirst, base, data: dataNow() };
  const problems = problemsOf(stage.error, ['/name', ...rows.flatMap(pathsOf)]);
  return (
    <div ref={box}>
      {isBack && (
        <HereAgain
          onAnew={() => begin(first)}
          isLate={base !== undefined && head !== undefined && head.version > base.version}
        />
      )}
      {base !== undefined && head !== undefined && (
        <Faster
          head={head}
          version={base.version}
          onAnew={() => begin(filledOf(nameAtFirst, inOrder(head.data), baseOf(head)))}
        />
      )}
      <ActionForm
        key={round}
        label="Shape"
        {...form}
        isReady={wrong.length === 0}
        problem={problems.whole}
        onSubmit={() => review(change(), done, onKept && (() => onKept(name)))}
        beside={
          base !== undefined && (
            <SecondaryButton disabled={wrong.length > 0} onClick={() => setChecked(dataNow())}>
              Check existing records
            </SecondaryButton>
          )
        }
      >
        {base === undefined && (
          <NameField
            of="shape"
            label="Name"
            hint="Such as Place or Person. Start with a letter; then use letters, digits, _, - and dots."
            value={name}
            onChange={(next) => fill({ name: next })}
            problem={problems.byPath.get('/name')}
          />
        )}
        <TextField
          label="Description"
          hint="What the records of this shape represent."
          value={description}
          onChange={(next) => fill({ description: next })}
        />
        <FieldRows
          rows={rows}
          onChange={(next) => fill({ rows: next })}
          known={known}
          own={name}
          said={problems.byPath}
        />
        <Mistakes of={wrong} />
      </ActionForm>
      {checked !== undefined && <ShapeCheck sight={sight} draft={{ name: nameAtFirst, data: checked }} />}
    </div>
  );
}

function Mistakes({ of: told }: { of: readonly string[] }) {
  if (told.length === 0) return null;
  return (
    <ul className="quiet mistakes">
      {told.map((one) => (
        <li key={one}>
          <Text most={1_000}>{one}</Text>
        </li>
      ))}
    </ul>
  );
}

interface Filled {
  readonly name: string;
  readonly description: string;
  readonly rows: readonly FieldRow[];
  readonly base: Base | undefined;
}

function filledOf(name: string, data: unknown, base: Base | undefined): Filled {
  const { fields, description } = definitionOf(data);
  const rows = rowsOf(fields);
  return { name, description: description ?? '', rows: rows.length === 0 ? withRow([]) : rows, base };
}

/** The server stores fields by name. */
export function inOrder(data: unknown): unknown {
  if (!isJsonObject(data) || !isJsonObject(data.fields)) return data;
  const names = declarationsIn(data.fields).map(({ name }) => name);
  const placeOfKey = ([key]: readonly [string, unknown]) => names.indexOf(fieldName(key));
  const fields = Object.entries(data.fields).sort((one, other) => placeOfKey(one) - placeOfKey(other));
  return { ...data, fields: Object.fromEntries(fields) };
}

interface FieldRowsProps {
  readonly rows: readonly FieldRow[];
  readonly onChange: (rows: readonly FieldRow[]) => void;
  readonly known: readonly string[] | undefined;
  readonly own: string;
  readonly said: ReadonlyMap<string, string>;
}

function FieldRows({ rows, onChange, known, own, said }: FieldRowsProps) {
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
      <SmallButton onClick={() => onChange(withRow(rows))}>Add a field</SmallButton>
    </>
  );
}

const TYPES: readonly { readonly value: FieldRow['type']; readonly label: string }[] = [
  { value: 'string', label: 'string: text' },
  { value: 'number', label: 'number' },
  { value: 'boolean', label: 'boolean: yes or no' },
  { value: 'wref', label: 'wref: a reference to a record' },
  { value: 'json', label: 'json: anything' },
  { value: 'other', label: 'other, as JSON' },
];

interface FieldRowFormProps {
  readonly number: number;
  readonly row: FieldRow;
  readonly isTwice: boolean;
  readonly known: readonly string[] | undefined;
  readonly said: ReadonlyMap<string, string>;
  readonly onChange: (row: FieldRow) => void;
  readonly onRemove: () => void;
}

function FieldRowForm({ number, row, isTwice, known, said, onChange, onRemove }: FieldRowFormProps) {
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
          problem={isTwice ? 'Another field has this name. Rename one of them.' : undefined}
          onChange={(name) => set({ name })}
        />
        <ChoiceField label="Type" value={row.type} options={TYPES} onChange={(type) => set({ type })} />
      </div>
      <div className="tick-row">
        <TickField label="Optional" isTicked={row.isOptional} onChange={(isOptional) => set({ isOptional })} />
        {isSimple && <TickField label="List of values" isTicked={row.isList} onChange={(isList) => set({ isList })} />}
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
      {isSimple && refused !== undefined && <ProblemText>{refused}</ProblemText>}
      <SmallButton aria-label={`Remove field ${plain(row.name, 200) || number}`} onClick={onRemove}>
        Remove
      </SmallButton>
    </fieldset>
  );
}

interface RefersToProps extends Pick<FieldRowFormProps, 'row' | 'known' | 'said'> {
  readonly set: (changed: Partial<FieldRow>) => void;
}

const RefersTo = ({ row, known, said, set }: RefersToProps) => (
  <TextField
    label="Refers to"
    hint={
      <>
        Shapes, separated by commas. Leave empty to allow any shape.{' '}
        <UnknownShapes named={referredBy(row)} known={known} />
      </>
    }
    suggestions={suggestedShapes(row.shapes, known ?? [])}
    value={row.shapes}
    problem={saidAgainst(said, row, 'shape')}
    onChange={(shapes) => set({ shapes })}
  />
);
