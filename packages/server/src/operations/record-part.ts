// The repositories that a list goes through: the one that was asked and, with `acrossRepos`, others that assert something
// about the same record. Each is read at one sequence, which the cursor keeps.
import { fail } from '@cairn/protocol/errors';
import type { Grant } from '../store/grant.ts';
import type { AboutCondition } from '../store/record-list/list-request.ts';
import { findReferringRepositories } from '../store/referring-repository.ts';
import { authorizeReads } from './access.ts';
import type { Context } from './context.ts';

/** More do not fit into a cursor. */
const REPOSITORIES_MAX = 100;
const LOOKED_AT_MAX = 1_000;

export interface Part {
  readonly grant: Grant;
  readonly atRepoSeq: number;
}

/** Repository and sequence of each other part, as the cursor keeps them. */
export type Pins = readonly (readonly [repoId: number, repoSeq: number])[];

/** At their head now. */
export async function pinOthers(context: Context, { target, memberRoles }: AboutCondition): Promise<Pins> {
  const { repoId, recordId } = target;
  const roles = ['about', ...memberRoles];
  const reader = context.store.database;
  const repoIds = await findReferringRepositories(reader, { repoId, recordId, roles, limit: LOOKED_AT_MAX });
  const grants = await authorizeReads(context, { addresses: [], repoIds });
  if (grants.length > REPOSITORIES_MAX) {
    const message = `More than ${REPOSITORIES_MAX} repositories assert something about it. Ask each of them instead.`;
    throw fail('PAYLOAD_TOO_LARGE', { message, details: [{ path: 'acrossRepos', message }] });
  }
  return grants.map((grant) => [grant.repoId, grant.repository.repoSeq] as const).sort(([a], [b]) => a - b);
}

/** Access is asked for anew: what the caller may not read any more is left out. */
export async function openOthers(context: Context, pins: Pins): Promise<(Part | undefined)[]> {
  if (pins.length === 0) return [];
  const grants = await authorizeReads(context, { addresses: [], repoIds: pins.map(([repoId]) => repoId) });
  return pins.map(([repoId, atRepoSeq]) => {
    const grant = grants.find((each) => each.repoId === repoId);
    return grant && { grant, atRepoSeq };
  });
}
