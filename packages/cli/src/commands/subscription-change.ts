// `cairn subscription create` and `update`.
import type { UpdateSubscription } from '@cairn/sdk';
import type { Command } from 'commander';
import { UsageError } from '../exit-codes.ts';
import { addHome, openHome } from '../home.ts';
import type { Io } from '../io.ts';
import { readSecret } from '../prompt.ts';
import { addSubscriptionFilter, type FilterFlags, triggerOf } from '../subscription-filter.ts';

interface ChangeFlags extends FilterFlags {
  readonly webhookUrl?: string;
  /** False: none any more. */
  readonly fallbackWebhookUrl?: string | false;
  readonly allowTraceReentry?: boolean;
}

interface CreateFlags extends ChangeFlags {
  readonly webhookUrl: string;
  readonly fallbackWebhookUrl?: string;
  readonly credentialSet?: string;
  readonly source?: string;
}

const URL_HELP = 'where deliveries go; - reads it from standard input, or asks for it';
const FALLBACK_HELP = 'where to tell once of a run that failed for good; - as above';
const REENTRY_HELP = 'run again for commits that follow from its own deliveries';

export function addSubscriptionWrites(subscription: Command, io: Io): void {
  addCreate(subscription, io);
  addUpdate(subscription, io);
}

function addCreate(subscription: Command, io: Io): void {
  addSubscriptionFilter(addHome(subscription.command('create <name>')))
    .summary('tell a webhook of commits, or of an event')
    .requiredOption('--webhook-url <url>', URL_HELP)
    .option('--fallback-webhook-url <url>', FALLBACK_HELP)
    .option('--credential-set <name>', 'the secrets that deliveries are sent with')
    .option('--source <org/repo>', 'the repository whose commits are told, where that is another one')
    .option('--allow-trace-reentry', REENTRY_HELP)
    .action(async (name: string, flags: CreateFlags, command: Command) => {
      const { client, orgName, repoName, print } = openHome(io, command);
      const trigger = await triggerOf(io, flags);
      if (trigger === undefined) {
        throw new UsageError(
          "Say what it is for: --shape, --operation, --kind, --match, --record, --filter or --event. --filter '{}' is every operation.",
        );
      }
      const { credentialSet, source, allowTraceReentry, webhookUrl } = flags;
      const urls = await urlsOf(io, flags);
      print(
        await client.subscription.create(orgName, repoName, name, {
          ...trigger,
          webhookUrl,
          ...urls,
          ...(credentialSet !== undefined && { credentialSet }),
          ...(source !== undefined && { source }),
          ...(allowTraceReentry && { allowTraceReentry }),
        }),
      );
    });
}

function addUpdate(subscription: Command, io: Io): void {
  addSubscriptionFilter(addHome(subscription.command('update <name>')))
    .summary('change what a subscription is for, or where it goes; what is left out stays')
    .option('--new-name <name>', 'call it otherwise')
    .option('--webhook-url <url>', URL_HELP)
    .option('--fallback-webhook-url <url>', FALLBACK_HELP)
    .option('--no-fallback-webhook-url', 'tell nobody of runs that failed')
    .option('--allow-trace-reentry', REENTRY_HELP)
    .option('--no-allow-trace-reentry', 'run once in a trace')
    .action(async (name: string, flags: ChangeFlags & { newName?: string }, command: Command) => {
      const { client, orgName, repoName, print } = openHome(io, command);
      const { newName, allowTraceReentry, fallbackWebhookUrl } = flags;
      const change: UpdateSubscription = {
        ...(await triggerOf(io, flags)),
        ...(fallbackWebhookUrl === false && { fallbackWebhookUrl: null }),
        ...(await urlsOf(io, flags)),
        ...(newName !== undefined && { newName }),
        ...(allowTraceReentry !== undefined && { allowTraceReentry }),
      };
      if (Object.keys(change).length === 0) {
        throw new UsageError('Say what to change, such as --webhook-url, --shape or --new-name.');
      }
      print(await client.subscription.update(orgName, repoName, name, change));
    });
}

/** A URL may itself be a secret: then it is not given as an argument, which other processes of the machine can see. */
async function urlsOf(io: Io, { webhookUrl, fallbackWebhookUrl, filter }: ChangeFlags) {
  const fromStdin = [filter, webhookUrl, fallbackWebhookUrl].filter((given) => given === '-');
  if (fromStdin.length > 1 && !io.isTerminal) {
    throw new UsageError('Standard input holds one of them. Set the other by cairn subscription update.');
  }
  const read = async (given: string, message: string) => (given === '-' ? await readSecret(io, message) : given);
  return {
    ...(webhookUrl !== undefined && { webhookUrl: await read(webhookUrl, 'The webhook URL') }),
    ...(fallbackWebhookUrl && { fallbackWebhookUrl: await read(fallbackWebhookUrl, 'The fallback webhook URL') }),
  };
}
