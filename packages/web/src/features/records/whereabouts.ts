// Finds a missing record: under another name, or from a later sequence on.
import { type CairnClient, CairnError, type RecordItem } from '@cairn/sdk';
import { unlessMissing } from '../../app/problem.ts';
import { atOf, type Sight } from '../../app/sight.ts';

export type Whereabouts =
  | { readonly kind: 'renamed'; readonly name: string }
  | { readonly kind: 'later'; readonly begins?: { readonly at: number; readonly name: string } }
  | { readonly kind: 'unknown' };

type Get = (wref: string, atRepoSeq?: { readonly atRepoSeq?: number }) => Promise<RecordItem>;

export async function findWhereabouts(
  client: CairnClient,
  sight: Sight,
  { name, signal }: { name: string; signal: AbortSignal },
): Promise<Whereabouts> {
  const get: Get = (wref, at = {}) =>
    client.thing.get(sight.orgName, sight.repoName, wref, { signal, includeRetracted: true, ...at });
  const present = await findPresent(get, name);
  if (present === undefined) return { kind: 'unknown' };
  if (sight.at === undefined) return { kind: 'renamed', name: present.name };
  const there = await orNothing(get(present.durableId, atOf(sight)));
  if (there !== undefined) return { kind: 'renamed', name: there.name };
  return { kind: 'later', ...(await findBeginning(get, present)) };
}

async function findPresent(get: Get, name: string): Promise<RecordItem | undefined> {
  try {
    return await get(name);
  } catch (error) {
    const renamed = presentName(error);
    return renamed === undefined ? undefined : await orNothing(get(renamed));
  }
}

/** The first version of a copy may be missing. */
async function findBeginning(get: Get, { durableId }: RecordItem) {
  const first = await orNothing(get(`${durableId}@v1`));
  if (first === undefined) return {};
  const begun = await orNothing(get(durableId, { atRepoSeq: first.repoSeq }));
  return { begins: { at: first.repoSeq, name: begun?.name ?? first.name } };
}

export const orNothing = (reading: Promise<RecordItem>) => unlessMissing(reading, 'VALIDATION_ERROR');

const RENAMED = /^It was renamed: ask for (\S+)\.$/;

export function presentName(error: unknown): string | undefined {
  if (!(error instanceof CairnError) || error.code !== 'NOT_FOUND') throw error;
  return RENAMED.exec(error.hint ?? '')?.[1];
}
