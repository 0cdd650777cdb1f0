// Commits of one operation, for procedures that change one record and answer with it.
import type { RecordItem } from '@cairn/protocol/record';
import { authorize, mayReadAll } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { submitCommit } from './commit.ts';

export interface WriteInput {
  readonly orgName: string;
  readonly repoName: string;
  readonly message?: string | undefined;
}

interface Written {
  readonly grant: Grant;
  /** What the writer may see: what they have written, and no later writer's. */
  readonly atRepoSeq: number;
}

export async function writeOne(context: Context, input: WriteInput, operation: object): Promise<Written> {
  const { orgName, repoName, message = '' } = input;
  const { repoSeq } = await submitCommit(context, { orgName, repoName, operations: [operation], message });
  return { grant: await authorize(context, { orgName, repoName }, 'repo:write'), atRepoSeq: repoSeq };
}

/** To read what the caller has just written, whatever else they may read; `forWriter` says how much they learn of it. */
export function unnarrowed(grant: Grant): Grant {
  return { ...grant, narrowing: undefined };
}

interface WrittenItem {
  readonly item: RecordItem;
  readonly operation: object;
}

/** What of a record tells what it holds, why, or what it points to. */
const CONTENT = new Set(['dataHash', 'refs', 'aboutWref', 'aboutDurableId', 'reason', 'committerWref']);

/** Who may not read the record learns of its data only what they have sent. */
export function forWriter(context: Context, grant: Grant, { item, operation }: WrittenItem): RecordItem {
  if (mayReadAll(context, grant) || 'data' in operation) return item;
  const rest = Object.entries(item).filter(([member]) => !CONTENT.has(member));
  return { ...(Object.fromEntries(rest) as RecordItem), data: null };
}
