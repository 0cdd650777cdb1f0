import type { DeclaredField, FieldType } from '@cairn/model/declaration';
import { WHERE_OPS } from '@cairn/protocol/vocabulary';
import type { WhereOp } from '@cairn/sdk';
import { type FormEvent, lazy, Suspense, useId, useState } from 'react';
import { useSight } from '../../app/sight.ts';
import { SmallButton } from '../../ui/button.tsx';
import { Disclosure } from '../../ui/list.tsx';
import { Alert, CodeText } from '../../ui/text.tsx';
import { opsOf } from '../shape/declaration.ts';
import { RecordBox } from './record-box.tsx';
import { useChoice } from './use-choice.ts';
import { CONDITIONS_MOST, type Condition, conditionOf, formatCondition, fromJson, OP_WORDS, toJson } from './where.ts';
import { conditionCompletion } from './where-completion.ts';

interface ConditionsProps {
  readonly where: readonly string[];
  readonly fields: readonly DeclaredField[];
}

type Draft = { readonly key: number } & ({ readonly condition: Condition } | { readonly text: string });

const draftOf = (text: string, key: number): Draft => {
  const condition = conditionOf(text);
  return condition === undefined ? { key, text } : { key, condition };
};
const isSame = (one: readonly Draft[], other: readonly Draft[]) =>
  JSON.stringify(one.map(toText)) === JSON.stringify(other.map(toText));
const toText = (draft: Draft) => ('text' in draft ? draft.text : formatCondition(draft.condition));

export function Conditions({ where, fields }: ConditionsProps) {
  const { choose } = useChoice();
  const [drafts, setDrafts] = useState(() => where.map(draftOf));
  const isApplied = isSame(drafts, where.map(draftOf));
  const apply = (all: readonly Draft[]) => choose({ where: all.length === 0 ? undefined : all.map(toText) });
  const remove = (key: number) => {
    const left = drafts.filter((draft) => draft.key !== key);
    setDrafts(left);
    if (key < where.length) apply(left);
  };
  const change = (key: number, condition: Condition) =>
    setDrafts(drafts.map((draft) => (draft.key === key ? { key, condition } : draft)));
  const add = () => {
    const key = Math.max(where.length, ...drafts.map((draft) => draft.key + 1));
    setDrafts([...drafts, { key, condition: firstCondition(fields) }]);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    apply(drafts);
  };
  return (
    <>
      <form className="conditions" aria-label="Conditions on fields" onSubmit={submit}>
        {drafts.map((draft, index) =>
          'text' in draft ? (
            <WrittenCondition key={draft.key} text={draft.text} number={index + 1} onRemove={() => remove(draft.key)} />
          ) : (
            <ConditionRow
              key={draft.key}
              number={index + 1}
              fields={fields}
              condition={draft.condition}
              onChange={(condition) => change(draft.key, condition)}
              onRemove={() => remove(draft.key)}
            />
          ),
        )}
        <p className="choices">
          <SmallButton disabled={drafts.length >= CONDITIONS_MOST || fields.length === 0} onClick={add}>
            Add condition
          </SmallButton>
          {drafts.length > 0 && (
            <button type="submit" className={isApplied ? 'small' : 'small primary'}>
              Apply
            </button>
          )}
          <NotApplied isShown={!isApplied} />
        </p>
      </form>
      <ConditionJson where={drafts.map(toText)} fields={fields} />
    </>
  );
}

function firstCondition(fields: readonly DeclaredField[]): Condition {
  const field = fields.find(({ type }) => opsOf(type).includes('eq')) ?? fields[0];
  const op: WhereOp = opsOf(field?.type ?? 'json')[0] ?? 'exists';
  return { path: field?.path ?? '', op, value: '' };
}

const WrittenCondition = ({ text, number, onRemove }: { text: string; number: number; onRemove: () => void }) => (
  <p className="condition">
    <CodeText>{text}</CodeText>
    <SmallButton aria-label={`Remove condition ${number}`} onClick={onRemove}>
      Remove
    </SmallButton>
  </p>
);

const JsonEditor = lazy(async () => ({ default: (await import('../change/json-editor.tsx')).JsonEditor }));

function ConditionJson({ where, fields }: ConditionsProps) {
  const { choose } = useChoice();
  const [edited, setEdited] = useState<{ readonly from: string; readonly text: string }>();
  const [problem, setProblem] = useState<string>();
  const initial = edited?.from ?? toJson(where, fields);
  const apply = () => {
    const read = fromJson(edited?.text ?? initial);
    if ('problem' in read) setProblem(read.problem);
    else choose({ where: read.texts.length === 0 ? undefined : read.texts });
  };
  return (
    <Disclosure className="condition-json" summary="As JSON">
      {() => (
        <>
          <Suspense fallback={<p className="waiting">Loading the editor…</p>}>
            <JsonEditor
              key={initial}
              label="Conditions as JSON"
              initial={edited?.text ?? initial}
              complete={conditionCompletion(fields)}
              onChange={(text) => setEdited({ from: initial, text })}
            />
          </Suspense>
          <p className="choices">
            <button type="button" className={edited === undefined ? 'small' : 'small primary'} onClick={apply}>
              Apply JSON
            </button>
            <NotApplied isShown={edited !== undefined} />
            <span className="quiet">Press Ctrl+Space for suggestions.</span>
          </p>
          {problem !== undefined && <Alert>{problem}</Alert>}
        </>
      )}
    </Disclosure>
  );
}

const NotApplied = ({ isShown }: { isShown: boolean }) => (
  <span className="quiet" role="status">
    {isShown && 'Not applied yet'}
  </span>
);

interface ConditionRowProps {
  readonly number: number;
  readonly fields: readonly DeclaredField[];
  readonly condition: Condition;
  readonly onChange: (condition: Condition) => void;
  readonly onRemove: () => void;
}

function ConditionRow({ number, fields, condition, onChange, onRemove }: ConditionRowProps) {
  const { path, op } = condition;
  const field = fields.find((one) => one.path === path);
  const ops: readonly WhereOp[] = field === undefined ? WHERE_OPS : opsOf(field.type);
  const choosePath = (next: string) => {
    const type: FieldType = fields.find((one) => one.path === next)?.type ?? 'json';
    const kept = opsOf(type).includes(op) ? op : (opsOf(type)[0] ?? 'exists');
    onChange({ path: next, op: kept, value: '' });
  };
  return (
    <div className="condition">
      <select
        aria-label={`Field of condition ${number}`}
        value={path}
        onChange={({ target }) => choosePath(target.value)}
      >
        {field === undefined && <option>{path}</option>}
        {fields.map((one) => (
          <option key={one.path}>{one.path}</option>
        ))}
      </select>
      <select
        aria-label={`Comparison of condition ${number}`}
        value={op}
        onChange={({ target }) => onChange({ ...condition, op: WHERE_OPS.find((one) => one === target.value) ?? op })}
      >
        {!ops.includes(op) && <option value={op}>{OP_WORDS[op]}</option>}
        {ops.map((one) => (
          <option key={one} value={one}>
            {OP_WORDS[one]}
          </option>
        ))}
      </select>
      <Value number={number} field={field} condition={condition} onChange={onChange} />
      <SmallButton aria-label={`Remove condition ${number}`} onClick={onRemove}>
        Remove
      </SmallButton>
    </div>
  );
}

interface ValueProps extends Pick<ConditionRowProps, 'number' | 'condition' | 'onChange'> {
  readonly field: DeclaredField | undefined;
}

function Value({ number, field, condition, onChange }: ValueProps) {
  const sight = useSight();
  const id = useId();
  const { op, value } = condition;
  const label = `Value of condition ${number}`;
  const choices = choicesOf(field, op);
  const set = (next: string) => onChange({ ...condition, value: next });
  if (field?.type === 'wref' && choices === undefined) {
    return (
      <>
        <label className="hidden" htmlFor={id}>
          {label}
        </label>
        <RecordBox
          id={id}
          sight={sight}
          shapes={field.refersTo}
          value={value}
          onChange={set}
          isList={op === 'in'}
          hasRetracted
        />
      </>
    );
  }
  if (choices === undefined) {
    return (
      <input
        aria-label={label}
        value={value}
        placeholder={op === 'in' ? 'one,another' : undefined}
        inputMode={field?.type === 'number' && op !== 'in' ? 'decimal' : undefined}
        onChange={({ target }) => set(target.value)}
      />
    );
  }
  return (
    <select
      aria-label={label}
      value={value || (op === 'exists' ? 'true' : '')}
      onChange={({ target }) => set(target.value)}
    >
      {op !== 'exists' && !choices.includes(value) && <option value={value}>{value || 'Choose'}</option>}
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {op === 'exists' ? (choice === 'true' ? 'yes' : 'no') : choice}
        </option>
      ))}
    </select>
  );
}

function choicesOf(field: DeclaredField | undefined, op: WhereOp): readonly string[] | undefined {
  if (op === 'exists') return ['true', 'false'];
  if (op !== 'eq' && op !== 'ne') return undefined;
  if (field?.choices !== undefined) return field.choices.map(String);
  return field?.type === 'boolean' ? ['true', 'false'] : undefined;
}
