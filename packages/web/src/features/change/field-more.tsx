import { TextField, TickField } from '../../ui/field.tsx';
import { useTold } from '../../ui/page.tsx';
import { Fold, Text } from '../../ui/text.tsx';
import {
  besideIt,
  canBeIndexed,
  choicesIn,
  type FieldRow,
  foldedWords,
  type RowPart,
  saidAgainst,
} from '../shape/shape-draft.ts';
import type { Limit, Limits } from '../shape/shape-limit.ts';

interface FieldMoreProps {
  readonly row: FieldRow;
  readonly said: ReadonlyMap<string, string>;
  readonly set: (changed: Partial<FieldRow>) => void;
}

const ENDS = {
  number: [
    ['minimum', 'Minimum'],
    ['maximum', 'Maximum'],
  ],
  string: [
    ['minLength', 'Minimum length'],
    ['maxLength', 'Maximum length'],
  ],
} as const;
const FOLDED: readonly RowPart[] = ['enum', 'minimum', 'maximum', 'minLength', 'maxLength', 'pattern'];

export function FieldMore({ row, said, set }: FieldMoreProps) {
  const [refused] = FOLDED.flatMap((part) => saidAgainst(said, row, part) ?? []);
  const told = useTold(refused, JSON.stringify([row.choices, row.limits]));
  const isWrong = told !== undefined || FOLDED.some((part) => besideIt(row, part) !== undefined);
  return (
    <Fold
      isWrong={isWrong}
      summary={<>More: {isWrong ? 'contains an error' : <Text most={200}>{foldedWords(row)}</Text>}</>}
    >
      <TextField label="Description" value={row.description} onChange={(description) => set({ description })} />
      <Limited row={row} said={said} set={set} />
      {canBeIndexed(row) && (
        <TickField
          label="Indexed"
          hint="Makes filters on this field fast. The index for existing records is built in the background."
          isTicked={row.isIndexed}
          onChange={(isIndexed) => set({ isIndexed })}
        />
      )}
    </Fold>
  );
}

function Limited({ row, said, set }: FieldMoreProps) {
  if (row.type !== 'string' && row.type !== 'number') return null;
  const limits = {
    limits: row.limits,
    set: (changed: Limits) => set({ limits: { ...row.limits, ...changed } }),
    refused: (name: Limit) => saidAgainst(said, row, name),
    wrong: (name: Limit) => besideIt(row, name),
  };
  return (
    <>
      <TextField
        label="Allowed values"
        hint={<Understood values={choicesIn(row)} />}
        isLong
        value={row.choices}
        problem={besideIt(row, 'enum') ?? saidAgainst(said, row, 'enum')}
        onChange={(choices) => set({ choices })}
      />
      <div className="beside">
        {ENDS[row.type].map(([name, label]) => (
          <LimitField key={name} name={name} label={label} {...limits} />
        ))}
      </div>
      {row.type === 'number' ? (
        <TickField
          label="Whole numbers only"
          isTicked={row.limits.integer === true}
          onChange={(integer) => limits.set({ integer })}
        />
      ) : (
        <LimitField
          name="pattern"
          label="Pattern"
          hint="A regular expression. It can match anywhere in the text; use ^ and $ to match all of it. Leave empty to allow any text."
          {...limits}
        />
      )}
    </>
  );
}

function Understood({ values }: { values: readonly string[] }) {
  if (values.length === 0) return 'One per line. Leave empty to allow any value.';
  return (
    <>
      One per line. {values.length === 1 ? '1 value' : `${values.length} values`}:{' '}
      <Text most={400}>{values.map((value) => `“${value}”`).join(' ')}</Text>
    </>
  );
}

interface LimitFieldProps {
  readonly limits: Limits;
  readonly wrong: (name: Limit) => string | undefined;
  readonly refused: (name: Limit) => string | undefined;
  readonly set: (changed: Limits) => void;
  readonly name: Limit;
  readonly label: string;
  readonly hint?: string;
}

function LimitField({ name, label, hint, limits, wrong, refused, set }: LimitFieldProps) {
  const value = limits[name] ?? '';
  const told = useTold(refused(name), value);
  return (
    <TextField
      label={label}
      hint={hint}
      value={value}
      onChange={(text) => set({ [name]: text })}
      problem={wrong(name) ?? told}
    />
  );
}
