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
  throw invalidAt('event', `Such a subscription cannot receive ${event}. Use one of ${events.join(', ')}.`);
}

function eventsOf({ repoName }: HomeGrant, source: string | undefined): readonly string[] {
  if (repoName === undefined) return ORGANIZATION_EVENTS;
  return REPOSITORY_EVENTS.filter((event) => source === undefined || event !== 'repo.renamed');
}

function refuseOfOrganization({ filter, source }: Subject): void {
  const advice = 'Without repoName, a subscription receives events of all repositories of its organization';
  if (filter !== undefined) throw invalidAt('filter', `${advice}. Give event instead of filter, or add repoName.`);
  if (source !== undefined) throw invalidAt('source', `${advice}. Leave out source, or add repoName.`);
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
      `${source} is not in the organization of the subscription. Choose a repository of ${home.orgName}.`,
    );
  }
  if (repoName === home.repoName) {
    throw invalidAt('source', 'A subscription matches its own repository by default. Leave out source.');
  }
  const grant = await authorize(context, { orgName, repoName }, 'repo:read');
  const { narrowing, repository } = grant;
  if (narrowing !== undefined) {
    const message = `This token can see only part of ${source}, but a subscription sends all of it. Use a token without \`refs\` or \`shapes\`.`;
    throw fail('FORBIDDEN', { message, details: { missing: ['repo:read'] } });
  }
  if (repository.importing) {
    const message = `An import into ${source} is in progress. Subscribe when it is complete.`;
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
    const message = 'The source repository of this subscription was deleted. Delete the subscription.';
    throw fail('CONFLICT', { message, details: { reason: 'source_gone' } });
  }
  return (await authorizeSource(context, home, source)).giver;
}
