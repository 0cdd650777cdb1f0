import { isJsonObject } from '@cairn/model/json';
import type { Repository } from '@cairn/sdk';
import type { TextName } from '../../app/queries.ts';

export const TEXT_RECORDS: Readonly<Record<TextName, string>> = { readme: 'Content/Readme', agents: 'Content/Agents' };

const CALLED: Readonly<Record<TextName, string>> = { readme: 'the readme', agents: 'the instructions for agents' };

export const textNamed = (record: string): TextName | undefined =>
  (['readme', 'agents'] as const).find((name) => TEXT_RECORDS[name] === record);

export function calledOf(record: string): string {
  const text = textNamed(record);
  return text === undefined ? record : CALLED[text];
}

export const contentOf = (data: unknown): string | undefined =>
  isJsonObject(data) && typeof data.content === 'string' ? data.content : undefined;

// The creation time identifies a repository across renames.

type Fate =
  | { readonly kind: 'renamed'; readonly orgName: string; readonly repoName: string }
  | { readonly kind: 'deleted'; readonly at: number }
  | { readonly kind: 'unknown' };

type KnownRepository = Pick<Repository, 'orgName' | 'name' | 'createdAt' | 'deletedAt'>;

export function fateOf(createdAt: number, seen: readonly KnownRepository[]): Fate {
  const [found, ...others] = seen.filter((one) => one.createdAt === createdAt);
  if (found === undefined || others.length > 0) return { kind: 'unknown' };
  if (found.deletedAt !== undefined) return { kind: 'deleted', at: found.deletedAt };
  return { kind: 'renamed', orgName: found.orgName, repoName: found.name };
}
