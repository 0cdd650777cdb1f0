// Completion in conditions as JSON. Conditions hold no nested objects, so the text before the cursor suffices.
import type { DeclaredField } from '@cairn/model/declaration';
import { WHERE_OPS } from '@cairn/protocol/vocabulary';
import { type Complete, type Completions, type Cursor, type Offered, offered } from '../change/completion.ts';
import { opsOf } from '../shape/declaration.ts';

const KEYS = ['fieldPath', 'op', 'rhs'];
const AT_VALUE = /"(fieldPath|op|rhs)"\s*:\s*(?:\[(?:[^\]"]|"[^"]*")*?)?("?[^",[\]{}:\s]*)$/;
const AT_KEY = /[{,]\s*("?\w*)$/;

export const conditionCompletion =
  (fields: readonly DeclaredField[]): Complete =>
  (cursor) =>
    completionsAt(cursor, fields);

function completionsAt({ text, place, isAsked }: Cursor, fields: readonly DeclaredField[]): Completions | undefined {
  const start = text.lastIndexOf('{', place - 1);
  const isOutside = start === -1 || text.lastIndexOf('}', place - 1) > start;
  if (isOutside) return isAsked ? outsideAt(text, place) : undefined;
  const before = text.slice(start, place);
  const end = text.indexOf('}', place);
  const condition = text.slice(start, end === -1 ? text.length : end);
  const [, key, value] = AT_VALUE.exec(before) ?? [];
  if (key !== undefined && value !== undefined) {
    if (value === '' && !isAsked) return undefined;
    return offered(text, { from: place - value.length, to: place }, valuesOf(key, condition, fields));
  }
  const [, name] = AT_KEY.exec(before) ?? [];
  if (name === undefined || (name === '' && !isAsked)) return undefined;
  const left = KEYS.filter((one) => !condition.includes(`"${one}"`));
  return offered(
    text,
    { from: place - name.length, to: place },
    left.map((one) => ({ label: `"${one}": ` })),
  );
}

function outsideAt(text: string, place: number): Completions | undefined {
  if (!/[[,]\s*$/.test(text.slice(0, place))) return undefined;
  return {
    from: place,
    to: place,
    options: [{ label: '{ "fieldPath": "", "op": "eq", "rhs": "" }', detail: 'a condition' }],
  };
}

function valuesOf(key: string, condition: string, fields: readonly DeclaredField[]): Offered[] {
  if (key === 'fieldPath') return fields.map(({ path, type }) => ({ label: JSON.stringify(path), detail: type }));
  const path = /"fieldPath"\s*:\s*("(?:[^"\\]|\\.)*")/.exec(condition)?.[1];
  const field = fields.find((one) => JSON.stringify(one.path) === path);
  if (key === 'op')
    return (field === undefined ? WHERE_OPS : opsOf(field.type)).map((op) => ({ label: JSON.stringify(op) }));
  const isExistence = /"op"\s*:\s*"exists"/.test(condition);
  if (isExistence || field?.type === 'boolean') return [{ label: 'true' }, { label: 'false' }];
  return (field?.choices ?? []).map((choice) => ({ label: JSON.stringify(choice) }));
}
