// Resolves wrefs to records of this repository, or of others that the caller may read.

import { invalidField } from '@cairn/model/operation';
import { formatCanonical, parseWref, type RepositoryPlace, repositoryIn, type Wref } from '@cairn/model/wref';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { RecordItem } from '@cairn/protocol/record';
import { authorizeReads } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import type { ReadableRepository } from '../commit/reference/target-set.sql.ts';
import type { RepositoryAddress, RepositoryChoice } from '../repository/repository.sql.ts';
import { findPresentName } from './name-read.sql.ts';
import type { RecordWref } from './record.sql.ts';

export interface LocatedWref {
  readonly grant: Grant;
  readonly wref: RecordWref;
}

/** In the order of the texts; `undefined` where the caller may not read, as if nothing were there. */
export async function locateWrefs(
  context: Context,
  grant: Grant,
  { texts, atRepoSeq }: { texts: readonly string[]; atRepoSeq: number | undefined },
): Promise<(LocatedWref | undefined)[]> {
  const wrefs = texts.map(parseWref);
  const elsewhere = wrefs.filter((wref) => leadsElsewhere(grant, wref));
  if (elsewhere.length > 0 && atRepoSeq !== undefined) throw refuseSequence(grant);
  const readable = elsewhere.length === 0 ? [] : await authorizeReads(context, choiceOf(elsewhere));
  return wrefs.map((wref) => {
    const target = leadsElsewhere(grant, wref) ? readable.find((other) => leadsTo(other, wref)) : grant;
    return target && { grant: target, wref: withinRepository(wref) };
  });
}

/** For reads of a single repository; `undefined` for wrefs to others, readable or not. */
export function wrefWithin(grant: Grant, text: string): RecordWref | undefined {
  const wref = parseWref(text);
  return leadsElsewhere(grant, wref) ? undefined : withinRepository(wref);
}

function refuseSequence({ repository: { orgName, name } }: Grant): CairnError {
  return invalidField(
    'atRepoSeq',
    `atRepoSeq counts the commits of ${orgName}/${name}. Leave it out to follow a wref into another repository.`,
  );
}

function leadsElsewhere(grant: Grant, wref: Wref): boolean {
  return ('repoId' in wref || 'repoName' in wref) && !leadsTo(grant, wref);
}

function leadsTo({ repoId, repository }: Grant, place: RepositoryPlace | Wref): boolean {
  if ('repoId' in place) return place.repoId === repoId;
  return 'repoName' in place && place.orgName === repository.orgName && place.repoName === repository.name;
}

function withinRepository(wref: Wref): RecordWref {
  const { pin } = wref;
  const version = typeof pin === 'number' ? pin : undefined;
  return 'recordId' in wref ? { recordId: wref.recordId, version } : { name: wref.name, version };
}

function choiceOf(wrefs: readonly (RepositoryPlace | Wref)[]): RepositoryChoice {
  const addresses = new Map<string, RepositoryAddress>();
  const repoIds = new Set<number>();
  for (const wref of wrefs) {
    if ('repoId' in wref) repoIds.add(wref.repoId);
    else if ('repoName' in wref) {
      addresses.set(`${wref.orgName}/${wref.repoName}`, { orgName: wref.orgName, repoName: wref.repoName });
    }
  }
  return { addresses: [...addresses.values()], repoIds: [...repoIds] };
}

export function seenFrom<Item extends Pick<RecordItem, 'wref' | 'pinnedWref' | 'name' | 'version'>>(
  { repoId }: Grant,
  { grant }: Pick<LocatedWref, 'grant'>,
  item: Item,
): Item {
  if (grant.repoId === repoId) return item;
  const { orgName, name: repoName } = grant.repository;
  const wref = formatCanonical({ orgName, repoName, name: item.name });
  return { ...item, wref, pinnedWref: `${wref}@v${item.version}` };
}

export async function findReadable(
  context: Context,
  grant: Grant,
  found: readonly RepositoryPlace[],
): Promise<readonly ReadableRepository[]> {
  const places = found.filter((place) => !leadsTo(grant, place));
  const max = context.limits.commitRepositories;
  if (places.length > max) {
    throw fail('PAYLOAD_TOO_LARGE', {
      message: `A commit can refer to at most ${max} other repositories. This one refers to ${places.length}. Send several commits.`,
    });
  }
  const grants = places.length === 0 ? [] : await authorizeReads(context, choiceOf(places));
  return grants.map(toReadable);
}

export function toReadable({ repoId, repository, narrowing }: Grant): ReadableRepository {
  return { repoId, narrowing, orgName: repository.orgName, repoName: repository.name };
}

interface Missing {
  readonly wref: string;
  readonly hint?: string | undefined;
  readonly what?: 'record' | 'shape' | undefined;
  readonly atRepoSeq: number | undefined;
}

export function recordNotFound({ repository }: Grant, { wref, hint, what = 'record', atRepoSeq }: Missing): CairnError {
  const when = atRepoSeq === undefined ? '' : ` at sequence ${atRepoSeq}`;
  const where = repositoryIn(wref) !== undefined ? 'that you may read' : `in ${repository.orgName}/${repository.name}`;
  return fail('NOT_FOUND', {
    message: `There is no ${what} ${wref} ${where}${when}.`,
    ...(hint !== undefined && { hint }),
  });
}

interface Asked extends Missing {
  readonly located: LocatedWref | undefined;
}

/** Missing and hidden get the same answer. Current reads include the new name after a rename. */
export async function missingRecord(
  context: Context,
  grant: Grant,
  { located, ...missing }: Asked,
): Promise<CairnError> {
  const isAsOfNow = missing.atRepoSeq === undefined;
  if (missing.hint !== undefined || located === undefined || !isAsOfNow || !('name' in located.wref)) {
    return recordNotFound(grant, missing);
  }
  const present = await findPresentName(context.store.database, located.grant, located.wref.name);
  if (present === undefined) return recordNotFound(grant, missing);
  return recordNotFound(grant, {
    ...missing,
    hint: `It was renamed: ask for ${nameFrom(grant, located.grant, present)}.`,
  });
}

function nameFrom({ repoId }: Grant, { repoId: homeId, repository }: Grant, name: string): string {
  return homeId === repoId ? name : formatCanonical({ orgName: repository.orgName, repoName: repository.name, name });
}
