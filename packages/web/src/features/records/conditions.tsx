import type { WhereOp } from '@cairn/sdk';
import { type FormEvent, Suspense, lazy, useState } from 'react';
import type { Sight } from '../../app/sight.ts';
import { Text } from '../../ui/text.tsx';
import { type DeclaredField, opsOf } from '../shape/declared-field.ts';
import { ConditionRow } from './condition-row.tsx';
import type { Choose } from './use-choice.ts';
import { CONDITIONS_MOST, type Condition, conditionOf, fromJson, textOf, toJson } from './where.ts';
import { conditionCompletion } from './where-completion.ts';

interface ConditionsProps {
  readonly sight: Sight;
  readonly where: readonly string[];
  readonly fields: readonly DeclaredField[];
  readonly choose: Choose;
}

/** A condition that is being put together, or one that can be written as JSON alone. */
type Draft = { readonly key: number } & ({ readonly condition: Condition } | { readonly text: string });

const draftOf = (text: string, key: number): Draft => {
  const condition = conditionOf(text);
  return condition === undefined ? { key, text } : { key, condition };
};
const isSame = (one: readonly Draft[], other: readonly Draft[]) =>
  JSON.stringify(one.map(toText)) === JSON.stringify(other.map(toText));
const toText = (draft: Draft) => ('text' in draft ? draft.text : textOf(draft.condition));

/** What fields must hold; all of it. What is put together counts when it is applied. */
export function Conditions({ sight, where, fields, choose }: ConditionsProps) {
  const [drafts, setDrafts] = useState(() => where.map(draftOf));
  const isApplied = isSame(drafts, where.map(draftOf));
  const apply = (all: readonly Draft[]) => choose({ where: all.length === 0 ? undefined : all.map(toText) });
  const remove = (key: number) => {
    const left = drafts.filter((draft) => draft.key !== key);
    setDrafts(left);
    // What was not applied yet is only taken back.
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
              sight={sight}
              fields={fields}
              condition={draft.condition}
              onChange={(condition) => change(draft.key, condition)}
              onRemove={() => remove(draft.key)}
            />
          ),
        )}
        <p className="choices">
          <button
            type="button"
            className="small"
            disabled={drafts.length >= CONDITIONS_MOST || fields.length === 0}
            onClick={add}
          >
            Add a condition
          </button>
          {drafts.length > 0 && (
            <button type="submit" className={isApplied ? 'small' : 'small primary'}>
              Apply
            </button>
          )}
          <NotApplied isShown={!isApplied} />
        </p>
      </form>
      <ConditionJson where={drafts.map(toText)} fields={fields} choose={choose} />
    </>
  );
}

function firstCondition(fields: readonly DeclaredField[]): Condition {
  const field = fields.find(({ type }) => opsOf(type).includes('eq')) ?? fields[0];
  const op: WhereOp = opsOf(field?.type ?? 'json')[0] ?? 'exists';
  return { path: field?.path ?? '', op, value: '' };
}

function WrittenCondition({ text, number, onRemove }: { text: string; number: number; onRemove: () => void }) {
  return (
    <p className="condition">
      <code>
        <Text>{text}</Text>
      </code>
      <button type="button" className="small" aria-label={`Remove condition ${number}`} onClick={onRemove}>
        Remove
      </button>
    </p>
  );
}

const JsonEditor = lazy(async () => ({ default: (await import('../change/json-editor.tsx')).JsonEditor }));

interface ConditionJsonProps {
  /** The conditions as they are put together above, applied or not. */
  readonly where: readonly string[];
  readonly fields: readonly DeclaredField[];
  readonly choose: Choose;
}

/** The same conditions as JSON, for who would rather write. It follows what is put together until it is edited itself. */
function ConditionJson({ where, fields, choose }: ConditionJsonProps) {
  const [isOpen, setOpen] = useState(false);
  const [edited, setEdited] = useState<{ readonly from: string; readonly text: string }>();
  const [problem, setProblem] = useState<string>();
  const initial = edited?.from ?? toJson(where, fields);
  const apply = () => {
    const read = fromJson(edited?.text ?? initial);
    if ('problem' in read) setProblem(read.problem);
    else choose({ where: read.texts.length === 0 ? undefined : read.texts });
  };
  return (
    <details className="condition-json" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As JSON</summary>
      {isOpen && (
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
            <span className="quiet">Ctrl+Space offers fields, operators and values.</span>
          </p>
          {problem !== undefined && (
            <p className="problem" role="alert">
              {problem}
            </p>
          )}
        </>
      )}
    </details>
  );
}

/** Beside a button that makes what was typed count. */
function NotApplied({ isShown }: { isShown: boolean }) {
  return (
    <span className="quiet" role="status">
      {isShown && 'Not applied yet'}
    </span>
  );
}
