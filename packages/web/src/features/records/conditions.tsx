import type { WhereOp } from '@cairn/sdk';
import { type FormEvent, useState } from 'react';
import type { Sight } from '../../app/sight.ts';
import { Text } from '../../ui/text.tsx';
import { type DeclaredField, opsOf } from '../shape/declared-field.ts';
import { ConditionJson } from './condition-json.tsx';
import { ConditionRow } from './condition-row.tsx';
import { NotApplied } from './not-applied.tsx';
import type { Choose } from './use-choice.ts';
import { CONDITIONS_MOST, type Condition, conditionOf, textOf } from './where.ts';

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
