// Access checks and events for the live hub. Listeners are looked up together and commits read once, so the number of
// reads does not grow with listeners.

import { attempt } from '@cairn/model/problem';
import type { Identity } from '@cairn/model/wref';
import { fail } from '@cairn/protocol/errors';
import type { LiveInvalidate } from '@cairn/protocol/stream';
import { accountOf, grantListener, readsWhole } from '../access/access.ts';
import { type Grant, systemGrant } from '../access/grant.rule.ts';
import { findPrincipals, type Principal, type Shown } from '../access/principal.ts';
import type { Reader } from '../engine/database.ts';
import type { FoundRepository, RepositoryAddress } from '../repository/repository.sql.ts';
import { findSequences } from '../repository/repository-sequence.sql.ts';
import type { Store } from '../store.ts';
import type { Listener, LiveSource, Sight } from './hub.ts';
import type { Ticket } from './live.ts';
import { type Affected, findAffected, findNamesElsewhere, findRepositoriesFor, NAMES_MAX } from './live-change.sql.ts';

export interface LiveListener extends Listener {
  readonly shown: Shown;
  readonly address: RepositoryAddress;
}

export interface LiveSight extends Sight {
  readonly grant: Grant;
  readonly principal: Principal;
}

export function toListener({ repoId, orgName, repoName, shown }: Ticket): LiveListener {
  const address = { orgName, repoName };
  return { key: JSON.stringify([repoId, address, shown]), repoId, shown, address };
}

const COMMITS_FEW = 20;

export function createLiveSource({ database }: Store): LiveSource<LiveListener, LiveSight> {
  return {
    check: async (listeners) => {
      const shown = listeners.map((listener) => listener.shown);
      const principals = await findPrincipals(database, { shown, now: Date.now() });
      const asked = listeners.map(({ repoId }, index) => {
        const principal = principals[index];
        return { repoId, accountId: principal === undefined ? 0 : accountOf(principal) };
      });
      const found = await findRepositoriesFor(database, asked);
      return listeners.map((listener, index) => {
        return attempt(() => toSight(listener, { principal: principals[index], found: found[index] }));
      });
    },
    read: async ({ repoId, sinceSeq, throughSeq }, sights) => {
      const narrowings = new Map(sights.map(({ view, grant }) => [view, grant.narrowing]));
      const { importedRepoSeq = 0 } = sights[0]?.grant.repository ?? {};
      const reader = throughSeq - sinceSeq > COMMITS_FEW ? database.beside : database;
      const affected = await findAffected(reader, systemGrant(repoId, 'live stream'), {
        range: { sinceRepoSeq: sinceSeq, atRepoSeq: throughSeq },
        acrossImport: sinceSeq < importedRepoSeq && importedRepoSeq <= throughSeq,
        narrowings: [...narrowings.values()],
      });
      const byView = new Map([...narrowings.keys()].map((view, index) => [view, affected[index]]));
      return await toEvents(
        database,
        sights.map((sight) => ({ sight, affected: byView.get(sight.view) })),
      );
    },
    sequences: (repoIds) => findSequences(database, repoIds),
  };
}

function toSight(
  { address }: LiveListener,
  { principal, found }: { principal: Principal | undefined; found: FoundRepository | undefined },
): LiveSight {
  if (principal === undefined) {
    throw fail('UNAUTHENTICATED', {
      message: 'The credential of this stream has expired or was revoked. Get a ticket with another credential.',
    });
  }
  const grant = grantListener(principal, found, address);
  return { principal, grant, repoSeq: grant.repository.repoSeq, view: JSON.stringify(grant.narrowing ?? null) };
}

interface Due {
  readonly sight: LiveSight;
  readonly affected: Affected | undefined;
}

async function toEvents(reader: Reader, all: readonly Due[]): Promise<(LiveInvalidate | undefined)[]> {
  const namesFor = await readTargets(reader, all);
  const events = new Map<string, LiveInvalidate>();
  return all.map(({ sight, affected }) => {
    if (affected === undefined) return undefined;
    const elsewhere = namesFor(sight.principal, [...affected.elsewhere.values()]);
    const key = JSON.stringify([sight.view, elsewhere]);
    const event = events.get(key) ?? toEvent(affected, elsewhere);
    events.set(key, event);
    return event;
  });
}

function toEvent(
  { shapes, records, targets, repoSeq, truncated }: Affected,
  elsewhere: readonly string[],
): LiveInvalidate {
  const affectedTargets = [...targets, ...elsewhere];
  return {
    topic: 'repo',
    repoSeq,
    affectedShapes: [...shapes],
    affectedRecords: [...records],
    affectedTargets: affectedTargets.slice(0, NAMES_MAX),
    ...((truncated || affectedTargets.length > NAMES_MAX) && { truncated: true as const }),
  };
}

type NamesFor = (principal: Principal, targets: readonly Identity[]) => string[];

async function readTargets(reader: Reader, all: readonly Due[]): Promise<NamesFor> {
  const targets = new Map(all.flatMap(({ affected }) => [...(affected?.elsewhere ?? [])]));
  if (targets.size === 0) return () => [];
  const repoIds = new Set([...targets.values()].map(({ repoId }) => repoId));
  const accountIds = new Set(all.map(({ sight }) => accountOf(sight.principal)));
  const asked = [...repoIds].flatMap((repoId) => [...accountIds].map((accountId) => ({ repoId, accountId })));
  const found = await findRepositoriesFor(reader, asked);
  const repositories = new Map(asked.map(({ repoId, accountId }, index) => [`${repoId} ${accountId}`, found[index]]));
  const named = await findNamesElsewhere(reader, [...targets.values()]);
  const names = new Map([...targets.keys()].map((key, index) => [key, named[index]]));
  return (principal, wanted) =>
    wanted.flatMap(({ repoId, recordId }) => {
      const repository = repositories.get(`${repoId} ${accountOf(principal)}`);
      const name = names.get(`${repoId} ${recordId}`);
      if (repository === undefined || !name || !readsWhole(principal, repository)) return [];
      return `wh:${repository.repository.orgName}/${repository.repository.name}/${name}`;
    });
}
