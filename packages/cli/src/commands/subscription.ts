// `cairn subscription`: webhooks for commits. A subscription has a filter, as JSON or as flags, or an event.
import {
  ORGANIZATION_EVENTS,
  RECORD_KINDS,
  REPOSITORY_EVENTS,
  type SubscriptionEvent,
} from '@cairn/protocol/vocabulary';
import type { SubscriptionFilter, UpdateSubscription } from '@cairn/sdk';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { EXIT, UsageError } from '../exit-codes.ts';
import { addList, listed } from '../flags.ts';
import { JSON_WAYS, readJsonFlag } from '../input.ts';
import type { CommandIo, Io } from '../io.ts';
import { readSecret } from '../prompt.ts';
import { addOwner, openOwner, openRepo, printed } from '../session.ts';
import { addSubscriptionLog } from './subscription-log.ts';

const OPERATIONS = ['add', 'revise', 'retract', 'rename'] as const;
const EVENTS = [...new Set([...REPOSITORY_EVENTS, ...ORGANIZATION_EVENTS])];

interface FilterFlags {
  readonly filter?: string;
  readonly operation?: (typeof OPERATIONS)[number][];
  readonly kind?: (typeof RECORD_KINDS)[number][];
  readonly shape?: string[];
  readonly record?: string[];
  readonly match?: string[];
  readonly event?: SubscriptionEvent;
}

function addSubscriptionFilter(command: Command): Command {
  return command
    .option('--shape <name>', 'operations on records of this shape; repeatable, as are the next four flags', append)
    .option('--operation <operation>', `operations of this kind: ${OPERATIONS.join(', ')}`, appendOneOf(OPERATIONS))
    .option(
      '--kind <kind>',
      `operations on records of this kind: ${RECORD_KINDS.join(', ')}`,
      appendOneOf(RECORD_KINDS),
    )
    .option('--match <glob>', "operations on records whose name matches; quote it: 'Signal/**'", append)
    .option('--record <name>', 'operations on this record, by its full name', append)
    .option('--filter <json>', `a full filter, with all, any and not; '{}' matches every operation; ${JSON_WAYS}`)
    .addOption(new Option('--event <event>', 'an event instead of operations').choices(EVENTS));
}

function append(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

function appendOneOf(choices: readonly string[]) {
  return (value: string, before?: readonly string[]) => {
    if (!choices.includes(value)) throw new InvalidArgumentError(`Allowed choices are ${choices.join(', ')}.`);
    return append(value, before);
  };
}

type Trigger = { filter: SubscriptionFilter } | { event: SubscriptionEvent };

async function triggerOf(io: Io, { filter, event, ...flags }: FilterFlags): Promise<Trigger | undefined> {
  const words = wordsOf(flags);
  const given = [filter, event, words].filter((way) => way !== undefined);
  if (given.length > 1) {
    throw new UsageError('Give either --filter, or --event, or flags such as --shape and --operation.');
  }
  if (event !== undefined) return { event };
  // The server validates it.
  if (filter !== undefined) return { filter: (await readJsonFlag(io, filter, '--filter')) as SubscriptionFilter };
  return words && { filter: words };
}

/** Values of one flag are alternatives; all flags must match. */
function wordsOf({ operation, kind, shape, record, match }: FilterFlags): SubscriptionFilter | undefined {
  const words: SubscriptionFilter = {
    ...(operation && { operation }),
    ...(kind && { kind }),
    ...(shape && { shape }),
    ...(record && { name: record }),
    ...(match && { match }),
  };
  return Object.keys(words).length === 0 ? undefined : words;
}

const PREVIEW_COLUMNS = ['name', 'matches', 'operation', 'from', 'kind', 'repoSeq', 'opIndex'];

function addSubscriptionPreview(subscription: Command, io: Io): void {
  addSubscriptionFilter(subscription.command('preview'))
    .summary('show which of the last 100 operations a filter would have matched')
    .option('--source <org/repo>', 'another repository whose operations to check')
    .option('--matching', 'show only operations that match')
    .action(async (given: FilterFlags & { source?: string; matching?: true }, command: Command) => {
      const { source, matching, ...flags } = given;
      const { repo, printPage } = openRepo(io, command);
      const trigger = await triggerOf(io, flags);
      if (trigger === undefined || !('filter' in trigger)) {
        throw new UsageError('Give a filter: --shape, --operation, --kind, --match, --record or --filter.');
      }
      const { items } = await repo().subscriptions.preview(trigger.filter, { source });
      printPage({ items: matching ? items.filter(({ matches }) => matches) : items }, PREVIEW_COLUMNS);
    });
}

interface ChangeFlags extends FilterFlags {
  readonly webhookUrl?: string;
  /** False removes the URL. */
  readonly fallbackWebhookUrl?: string | false;
  readonly allowTraceReentry?: boolean;
}

interface CreateFlags extends ChangeFlags {
  readonly webhookUrl: string;
  readonly fallbackWebhookUrl?: string;
  readonly credentialSet?: string;
  readonly source?: string;
}

const URL_HELP = 'URL for deliveries; - reads it from standard input, or asks for it';
const FALLBACK_HELP = 'URL to notify once if a run fails permanently; - as above';
const REENTRY_HELP = 'also run for commits that result from its own deliveries';

function addCreate(subscription: Command, io: Io): void {
  addSubscriptionFilter(addOwner(subscription.command('create <name>')))
    .summary('send commits or events to a webhook')
    .requiredOption('--webhook-url <url>', URL_HELP)
    .option('--fallback-webhook-url <url>', FALLBACK_HELP)
    .option('--credential-set <name>', 'credential set for deliveries')
    .option('--source <org/repo>', 'another repository whose commits to send')
    .option('--allow-trace-reentry', REENTRY_HELP)
    .action(async (name: string, flags: CreateFlags, command: Command) => {
      const { client, orgName, repoName, print } = openOwner(io, command);
      const trigger = await triggerOf(io, flags);
      if (trigger === undefined) {
        throw new UsageError(
          "Choose what to send: --shape, --operation, --kind, --match, --record, --filter or --event. --filter '{}' matches every operation.",
        );
      }
      const { credentialSet, source, allowTraceReentry, webhookUrl } = flags;
      const urls = await urlsOf(io, flags);
      const options = { ...trigger, webhookUrl, ...urls, credentialSet, source, allowTraceReentry };
      print(await client.subscription.create(orgName, repoName, name, options));
    });
}

function addUpdate(subscription: Command, io: Io): void {
  addSubscriptionFilter(addOwner(subscription.command('update <name>')))
    .summary('change the filter or the URLs of a subscription; flags that you leave out change nothing')
    .option('--new-name <name>', 'new name of the subscription')
    .option('--webhook-url <url>', URL_HELP)
    .option('--fallback-webhook-url <url>', FALLBACK_HELP)
    .option('--no-fallback-webhook-url', 'do not notify anyone of failed runs')
    .option('--allow-trace-reentry', REENTRY_HELP)
    .option('--no-allow-trace-reentry', 'run only once per trace')
    .action(async (name: string, flags: ChangeFlags & { newName?: string }, command: Command) => {
      const { client, orgName, repoName, print } = openOwner(io, command);
      const { newName, allowTraceReentry, fallbackWebhookUrl } = flags;
      const change: UpdateSubscription = {
        ...(await triggerOf(io, flags)),
        ...(fallbackWebhookUrl === false && { fallbackWebhookUrl: null }),
        ...(await urlsOf(io, flags)),
        ...(newName !== undefined && { newName }),
        ...(allowTraceReentry !== undefined && { allowTraceReentry }),
      };
      if (Object.keys(change).length === 0) {
        throw new UsageError('Nothing to change. Give a flag such as --webhook-url, --shape or --new-name.');
      }
      print(await client.subscription.update(orgName, repoName, name, change));
    });
}

/** A URL may be a secret. `-` reads it from standard input, because other processes can see arguments. */
async function urlsOf(io: Io, { webhookUrl, fallbackWebhookUrl, filter }: ChangeFlags) {
  const fromStdin = [filter, webhookUrl, fallbackWebhookUrl].filter((given) => given === '-');
  if (fromStdin.length > 1 && !io.isTerminal) {
    throw new UsageError(
      'Only one value can come from standard input. Set the other one with cairn subscription update.',
    );
  }
  const read = async (given: string, message: string) => (given === '-' ? await readSecret(io, message) : given);
  return {
    ...(webhookUrl !== undefined && { webhookUrl: await read(webhookUrl, 'The webhook URL') }),
    ...(fallbackWebhookUrl && { fallbackWebhookUrl: await read(fallbackWebhookUrl, 'The fallback webhook URL') }),
  };
}

const SUBSCRIPTION_COLUMNS = [
  ...['name', 'active', 'event', 'filter', 'webhookOrigin', 'credentialSet', 'source', 'pausedReason'],
];

export function addSubscription(program: Command, io: CommandIo): void {
  const subscription = program
    .command('subscription')
    .alias('sub')
    .summary('webhooks for commits and events')
    .description('A subscription belongs to a repository, or with --org to an organization.');
  addOwner(addList(subscription.command('list')))
    .summary('list subscriptions')
    .action(
      listed(io, openOwner, { columns: SUBSCRIPTION_COLUMNS }, ({ client, orgName, repoName }, paging) =>
        client.subscription.list(orgName, repoName, paging),
      ),
    );
  addSubscriptionPreview(subscription, io);
  addCreate(subscription, io);
  addUpdate(subscription, io);
  addVerbs(subscription, io);
  addBindings(subscription, io);
  addTest(subscription, io);
  addSubscriptionLog(subscription, io);
}

function addVerbs(subscription: Command, io: Io): void {
  for (const [verb, procedure, summary] of [
    ['view', 'get', 'show a subscription, without the secret parts of its URLs'],
    ['pause', 'pause', 'ignore new commits, and hold waiting deliveries'],
    ['resume', 'resume', 'send new commits again, and deliver what was held'],
    ['delete', 'delete', 'delete a subscription; its runs stay listed'],
    ['reveal', 'reveal', 'show the full URLs; the audit log records who saw them'],
  ] as const) {
    addOwner(subscription.command(`${verb} <name>`))
      .summary(summary)
      .action(
        printed(io, openOwner, ({ client, orgName, repoName }, name: string) =>
          client.subscription[procedure](orgName, repoName, name),
        ),
      );
  }
}

function addBindings(subscription: Command, io: Io): void {
  addOwner(subscription.command('bind <name> <credential-set>'))
    .summary('sign deliveries with a credential set, and send its other keys with them')
    .action(
      printed(io, openOwner, ({ client, orgName, repoName }, name: string, credentialSet: string) =>
        client.subscription.bindCredentials(orgName, repoName, name, credentialSet),
      ),
    );
  addOwner(subscription.command('unbind <name>'))
    .summary('send deliveries without credentials again')
    .action(
      printed(io, openOwner, ({ client, orgName, repoName }, name: string) =>
        client.subscription.unbindCredentials(orgName, repoName, name),
      ),
    );
}

function addTest(subscription: Command, io: CommandIo): void {
  addOwner(subscription.command('test <name>'))
    .summary('send a test delivery now, and show its outcome; exits with 1 if it is not accepted')
    .action(async (name: string, _flags: object, command: Command) => {
      const { client, orgName, repoName, print } = openOwner(io, command);
      const answer = await client.subscription.test(orgName, repoName, name);
      print(answer);
      if (answer.outcome !== 'succeeded' && answer.outcome !== 'accepted') io.setExitCode(EXIT.failed);
    });
}
