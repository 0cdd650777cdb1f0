import { isBuiltInShape } from '@cairn/model/shape';
import type { Page } from '@cairn/protocol/page';
import type { ProcedureArguments, ProcedureOutput } from '@cairn/protocol/procedures';
import type { Subscription } from '@cairn/protocol/subscription';
import { authorOf, readsWhole } from '../access/access.ts';
import { shownAuthor } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import { openList } from '../access/cursor.ts';
import { auditedAtHome, authorizeHome, authorizeSubscribing, type HomeGrant } from '../access/home.ts';
import type { Principal } from '../access/principal.ts';
import { findTokenHolderById } from '../access/token-scope.sql.ts';
import { findAccountHolder } from '../account/account.sql.ts';
import { provisionSubscription } from '../component/provision.ts';
import type { Reader } from '../engine/database.ts';
import { withoutNulls } from '../engine/row.ts';
import { latestOperations } from '../read/matched-operation.sql.ts';
import { findRepositories, readRepositoryRow } from '../repository/repository.sql.ts';
import { maskedOrigin } from './delivery/target.ts';
import {
  type FoundSubscription,
  findSubscription,
  listSubscriptions as findSubscriptions,
  type Giver,
  storeFilter,
} from './subscription.sql.ts';
import { compileFilter, type StoredFilter, toFiltered } from './subscription-filter.rule.ts';
import { authorizeSource, checkSubject, readSource, renewGiver } from './subscription-source.ts';

export async function listSubscriptions(
  context: Context,
  { limit, cursor, ...address }: ProcedureArguments<'subscription.list'>,
): Promise<Page<Subscription>> {
  const { store } = context;
  const home = await authorizeHome(context, address);
  const { homeId } = home;
  const list = openList<[string]>(context, 'subscription.list', { homeId }, { cursor, limit });
  const [after] = list.after ?? [''];
  const found = await findSubscriptions(store.database, { homeId, after, limit: limit + 1 });
  const page = list.toPage(found, ({ name }) => [name]);
  return { ...page, items: page.items.map((subscription) => toSubscription(home, subscription)) };
}

export async function getSubscription(
  context: Context,
  { name, ...address }: ProcedureArguments<'subscription.get'>,
): Promise<Subscription> {
  const home = await authorizeHome(context, address);
  return toSubscription(home, await findSubscription(context.store.database, { homeId: home.homeId, name }));
}

export async function createSubscription(
  context: Context,
  input: ProcedureArguments<'subscription.create'>,
): Promise<Subscription> {
  const { database } = context.store;
  if (context.principal.kind === 'component') {
    const home = await provisionSubscription(context, input);
    return toSubscription(home, await findSubscription(database, { homeId: home.homeId, name: input.name }));
  }
  const { orgName, repoName, source, ...form } = input;
  const home = await authorizeSubscribing(context, { orgName, repoName });
  checkSubject(home, input);
  const given = source === undefined ? undefined : await authorizeSource(context, home, source);
  await checkTargets(context, form);
  const made = await context.store.write.createSubscription(
    { home, ...form, source: given, createdBy: authorOf(context.principal), now: await database.now() },
    auditedAtHome(context, home, 'subscription.create', form.name, toldForm(input)),
  );
  return toSubscription(home, made);
}

export async function updateSubscription(
  context: Context,
  input: ProcedureArguments<'subscription.update'>,
): Promise<Subscription> {
  const { orgName, repoName, ...form } = input;
  const home = await authorizeSubscribing(context, { orgName, repoName });
  const { name } = form;
  const found = await findSubscription(context.store.database, { homeId: home.homeId, name });
  checkSubject(home, { ...input, source: found.source ?? undefined });
  const giver = await renewGiver(context, home, found);
  await checkTargets(context, form);
  const changed = await context.store.write.updateSubscription(
    { home, ...form, giver, changedBy: authorOf(context.principal), now: await context.store.database.now() },
    auditedAtHome(context, home, 'subscription.update', name, toldForm(input)),
  );
  return toSubscription(home, changed);
}

export const pauseSubscription = changing('subscription.pause', 'pauseSubscription');
export const deleteSubscription = changing('subscription.delete', 'deleteSubscription');

function changing(
  action: 'subscription.pause' | 'subscription.delete',
  write: 'pauseSubscription' | 'deleteSubscription',
) {
  return async (
    context: Context,
    { name, ...address }: ProcedureArguments<'subscription.pause'>,
  ): Promise<Subscription> => {
    const home = await authorizeHome(context, address);
    const moment = { home, name, now: await context.store.database.now() };
    const changed = await context.store.write[write](moment, auditedAtHome(context, home, action, name));
    return toSubscription(home, changed);
  };
}

export async function resumeSubscription(
  context: Context,
  { name, ...address }: ProcedureArguments<'subscription.resume'>,
): Promise<Subscription> {
  const home = await authorizeSubscribing(context, address);
  const { database, write } = context.store;
  const found = await findSubscription(database, { homeId: home.homeId, name });
  const giver = await renewGiver(context, home, found);
  const audit = auditedAtHome(context, home, 'subscription.resume', name);
  return toSubscription(home, await write.resumeSubscription({ home, name, giver, now: await database.now() }, audit));
}

export async function bindCredentials(
  context: Context,
  { name, credentialSet, ...address }: ProcedureArguments<'subscription.bindCredentials'>,
): Promise<Subscription> {
  const home = await authorizeSubscribing(context, address);
  const audit = auditedAtHome(context, home, 'subscription.bindCredentials', name, { credentialSet });
  const binding = { home, name, credentialSet, now: await context.store.database.now() };
  return toSubscription(home, await context.store.write.bindSubscription(binding, audit));
}

export async function unbindCredentials(
  context: Context,
  { name, ...address }: ProcedureArguments<'subscription.unbindCredentials'>,
): Promise<Subscription> {
  const home = await authorizeSubscribing(context, address);
  const audit = auditedAtHome(context, home, 'subscription.unbindCredentials', name);
  const binding = { home, name, credentialSet: null, now: await context.store.database.now() };
  return toSubscription(home, await context.store.write.bindSubscription(binding, audit));
}

export async function revealSubscription(
  context: Context,
  { name, ...address }: ProcedureArguments<'subscription.reveal'>,
): Promise<ProcedureOutput<'subscription.reveal'>> {
  const home = await authorizeHome(context, address);
  const found = await findSubscription(context.store.database, { homeId: home.homeId, name });
  await context.store.write.recordAudit(auditedAtHome(context, home, 'subscription.reveal', name));
  const { webhookUrl, fallbackWebhookUrl } = found;
  return { name, webhookUrl, ...(fallbackWebhookUrl !== null && { fallbackWebhookUrl }) };
}

interface Targets {
  readonly webhookUrl?: string | undefined;
  readonly fallbackWebhookUrl?: string | null | undefined;
}

async function checkTargets({ outbound }: Context, { webhookUrl, fallbackWebhookUrl }: Targets): Promise<void> {
  if (webhookUrl !== undefined) await outbound.check(webhookUrl, 'webhookUrl');
  if (fallbackWebhookUrl != null) await outbound.check(fallbackWebhookUrl, 'fallbackWebhookUrl');
}

function toSubscription({ orgName, repoName, grant }: HomeGrant, found: FoundSubscription): Subscription {
  const { name, filter, event, webhookUrl, fallbackWebhookUrl, credentialSet, source, pausedReason, component } = found;
  const { allowTraceReentry, active, createdBy, createdAt, updatedAt } = found;
  const subscription: Subscription = {
    orgName,
    ...(repoName !== undefined && { repoName }),
    name,
    ...(filter !== undefined && { filter }),
    webhookOrigin: maskedOrigin(webhookUrl),
    ...(fallbackWebhookUrl !== null && { fallbackWebhookOrigin: maskedOrigin(fallbackWebhookUrl) }),
    ...withoutNulls({ event, credentialSet, source, pausedReason, component }),
    allowTraceReentry,
    active,
    createdBy,
    createdAt,
    updatedAt,
  };
  return grant === undefined ? subscription : shownAuthor(grant, subscription);
}

type SubscriptionForm = Partial<
  ProcedureArguments<'subscription.update'> &
    Pick<ProcedureArguments<'subscription.create'>, 'source' | 'credentialSet'>
>;

function toldForm({ webhookUrl, fallbackWebhookUrl, ...form }: SubscriptionForm): Record<string, unknown> {
  const { filter, event, allowTraceReentry, source, credentialSet, newName } = form;
  return {
    webhookOrigin: webhookUrl && maskedOrigin(webhookUrl),
    fallbackWebhookOrigin: fallbackWebhookUrl && maskedOrigin(fallbackWebhookUrl),
    ...{ filter, event, allowTraceReentry, source, credentialSet, newName },
  };
}

export async function findLapse(reader: Reader, subscription: FoundSubscription): Promise<string | undefined> {
  const { giver, homeId, sourceRepoId, source } = subscription;
  if (sourceRepoId === null || giver === undefined) return undefined;
  const principal = await findGiver(reader, giver);
  const [found] = await findRepositories(reader, { addresses: [], repoIds: [sourceRepoId] }, giver.accountId);
  if (principal === undefined || found === undefined || !readsWhole(principal, found)) {
    return `The account that allowed this subscription to read ${source} can no longer read all of it. Resume the subscription to allow it with your own rights.`;
  }
  const home = await readRepositoryRow(reader, homeId);
  if (home === undefined || home.organization_id === found.orgId) return undefined;
  return `${source} was moved to another organization. Delete the subscription, or move the repository back and resume the subscription.`;
}

/** Uses the current rights of the account, because the session of that time may have ended. */
async function findGiver(reader: Reader, { accountId, tokenId }: Giver): Promise<Principal | undefined> {
  if (tokenId !== undefined) {
    const holder = await findTokenHolderById(reader, { tokenId, now: Date.now() });
    return holder && { kind: 'token', ...holder };
  }
  const account = await findAccountHolder(reader, accountId);
  const noEnd = { expiresAt: Number.POSITIVE_INFINITY, sessionEndsAt: Number.POSITIVE_INFINITY };
  return account && { kind: 'session', sessionId: '', ...noEnd, ...account };
}

const OPERATIONS_MAX = 100;

export async function previewSubscription(
  context: Context,
  { filter, source, ...address }: ProcedureArguments<'subscription.preview'>,
): Promise<ProcedureOutput<'subscription.preview'>> {
  const home = await authorizeSubscribing(context, address);
  checkSubject(home, { filter, source });
  const watched = source === undefined ? home.grant : await readSource(context, home, source);
  if (watched === undefined) return { items: [] };
  const { database } = context.store;
  const kept = await storeFilter(database, { watchedId: watched.repoId, filter });
  const matches = compileFilter(JSON.parse(kept) as StoredFilter);
  const latest = await latestOperations(database, watched, OPERATIONS_MAX);
  const items = latest.map(({ repoSeq, shapeId, operation: made }) => {
    const { opIndex, operation, kind = 'thing', name = '', submittedName } = made;
    const isMadeByItself = shapeId === 0 && operation === 'add' && isBuiltInShape(name);
    const filtered = toFiltered({ operation, kind, shapeId, name, nameBefore: submittedName });
    const from = submittedName !== undefined && { from: submittedName };
    return { repoSeq, opIndex, operation, kind, name, ...from, matches: !isMadeByItself && matches(filtered) };
  });
  return { items };
}
