// The texts about a repository are records too: what they are called as such, and by people.

import type { TextName } from '../../app/queries.ts';
import { isObject } from '../shape/declaration.ts';

export const TEXT_RECORDS: Readonly<Record<TextName, string>> = { readme: 'Content/Readme', agents: 'Content/Agents' };

const CALLED: Readonly<Record<TextName, string>> = { readme: 'the readme', agents: 'the text for agents' };

/** Which of them a record is, if any. */
export const textNamed = (record: string): TextName | undefined =>
  (['readme', 'agents'] as const).find((name) => TEXT_RECORDS[name] === record);

/** Within a sentence. */
export function calledOf(record: string): string {
  const text = textNamed(record);
  return text === undefined ? record : CALLED[text];
}

/** Of its data. */
export const contentOf = (data: unknown): string | undefined =>
  isObject(data) && typeof data.content === 'string' ? data.content : undefined;
