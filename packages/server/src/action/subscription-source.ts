// The subject of a subscription, and its account's right to read another repository. That right is checked again with
// each change of the subscription and at each commit (action/outbox.job.ts).

import { fail } from '@cairn/protocol/errors';
import type { SubscriptionFilter } from '@cairn/protocol/subscription';
import { ORGANIZATION_EVENTS, REPOSITORY_EVENTS } from '@cairn/protocol/vocabulary';
import { authorize, requireAccount } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import type { HomeGrant } from '../access/home.ts';
import { invalidAt } from '../access/invalid.rule.ts';
import type { FoundSubscription, Giver } from './subscription.sql.ts';
import type { Source } from './subscription-change.write.ts';
import { checkFilter } from './subscription-filter.rule.ts';

interface Subject {
  readonly filter?: SubscriptionFilter | undefined;
  readonly event?: string | undefined;
  readonly source?: string | undefined;
}

export function checkSubject(home: HomeGrant, { filter, event, source }: Subject): void {
  if (filter !== undefined) checkFilter(filter);
  if (home.repoName === undefined) refuseOfOrganization({ filter, source });
  const events = eventsOf(home, source);
  if (event === undefined || events.includes(event)) return;
  throw invalidAt('event', `${event} is not told to such a subscription. Give one of ${events.join(', ')}.`);
}

function eventsOf({ repoName }: HomeGrant, source: string | undefined): readonly string[] {
  if (repoName === undefined) return ORGANIZATION_EVENTS;
  return REPOSITORY_EVENTS.filter((event) => source === undefined || event !== 'repo.renamed');
}

function refuseOfOrganization({ filter, source }: Subject): void {
  const advice = 'Without repoName a subscription is for events of the repositories of its organization';
  if (filter !== undefined) throw invalidAt('filter', `${advice}. Give event instead, or repoName too.`);
  if (source !== undefined) throw invalidAt('source', `${advice}. Leave source away, or give repoName too.`);
}

export async function authorizeSource(context: Context, home: HomeGrant, source: string): Promise<Source> {
  const { repoId } = await readSource(context, home, source);
  const account = requireAccount(context.principal);
  const { accountId } = account;
  return { repoId, giver: account.kind === 'token' ? { accountId, tokenId: account.tokenId } : { accountId } };
}

export async function readSource(context: Context, home: HomeGrant, source: string): Promise<Grant> {
  const [orgName = '', repoName = ''] = source.split('/');
  if (orgName !== home.orgName) {
    throw invalidAt(
      'source',
      `${source} is in another organization than the subscription. Choose a repository of ${home.orgName}.`,
    );
  }
  if (repoName === home.repoName) {
    throw invalidAt('source', 'A subscription is for its own repository anyway. Leave source away.');
  }
  const grant = await authorize(context, { orgName, repoName }, 'repo:read');
  const { narrowing, repository } = grant;
  if (narrowing !== undefined) {
    const message = `A subscription tells of everything, and the repo:read on ${source} is narrowed. Use a token that is not.`;
    throw fail('FORBIDDEN', { message, details: { missing: ['repo:read'] } });
  }
  if (repository.importing) {
    const message = `An export is being imported into ${source}. Subscribe when that is done.`;
    throw fail('CONFLICT', { message, details: { reason: 'importing' } });
  }
  return grant;
}

export async function renewGiver(
  context: Context,
  home: HomeGrant,
  { source, sourceRepoId }: FoundSubscription,
): Promise<Giver | undefined> {
  if (sourceRepoId === null) return undefined;
  if (source === null) {
    const message = 'The repository that this subscription is for has been deleted. Delete the subscription.';
    throw fail('CONFLICT', { message, details: { reason: 'source_gone' } });
  }
  return (await authorizeSource(context, home, source)).giver;
}
