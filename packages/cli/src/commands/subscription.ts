// `cairn subscription`: which commits are told to a webhook.
import type { Command } from 'commander';
import { EXIT } from '../exit-codes.ts';
import { addHome, openHome } from '../home.ts';
import type { CommandIo, Io } from '../io.ts';
import { addList, type ListFlags, printList } from '../paging.ts';
import { addSubscriptionWrites } from './subscription-change.ts';
import { addSubscriptionLog } from './subscription-log.ts';
import { addSubscriptionPreview } from './subscription-preview.ts';

const COLUMNS = ['name', 'active', 'event', 'filter', 'webhookOrigin', 'credentialSet', 'source', 'pausedReason'];

export function addSubscription(program: Command, io: CommandIo): void {
  const subscription = program
    .command('subscription')
    .alias('sub')
    .summary('webhooks that are told of commits')
    .description('A subscription belongs to a repository, or with --org to an organization itself.');
  addReads(subscription, io);
  addSubscriptionPreview(subscription, io);
  addSubscriptionWrites(subscription, io);
  addVerbs(subscription, io);
  addBindings(subscription, io);
  addTest(subscription, io);
  addSubscriptionLog(subscription, io);
}

function addReads(subscription: Command, io: Io): void {
  addHome(addList(subscription.command('list')))
    .summary('list subscriptions')
    .action(async (flags: ListFlags, command: Command) => {
      const session = openHome(io, command);
      const { client, orgName, repoName } = session;
      const list = (paging: object) => client.subscription.list(orgName, repoName, paging);
      await printList(session, { flags, columns: COLUMNS, list });
    });
}

/** All that take a name alone. */
function addVerbs(subscription: Command, io: Io): void {
  for (const [verb, procedure, summary] of [
    ['view', 'get', 'show a subscription, without what may be secret in its URLs'],
    ['pause', 'pause', 'tell of no commit any more, and hold what waits to be delivered'],
    ['resume', 'resume', 'tell of commits from now on, and deliver what was held'],
    ['delete', 'delete', 'end a subscription; its runs stay listed'],
    ['reveal', 'reveal', 'show the URLs in full; the audit log says who saw them'],
  ] as const) {
    addHome(subscription.command(`${verb} <name>`))
      .summary(summary)
      .action(async (name: string, _flags: object, command: Command) => {
        const { client, orgName, repoName, print } = openHome(io, command);
        print(await client.subscription[procedure](orgName, repoName, name));
      });
  }
}

function addBindings(subscription: Command, io: Io): void {
  addHome(subscription.command('bind <name> <credential-set>'))
    .summary('sign deliveries with a credential set, and send its other keys with them')
    .action(async (name: string, credentialSet: string, _flags: object, command: Command) => {
      const { client, orgName, repoName, print } = openHome(io, command);
      print(await client.subscription.bindCredentials(orgName, repoName, name, credentialSet));
    });
  addHome(subscription.command('unbind <name>'))
    .summary('send deliveries without credentials again')
    .action(async (name: string, _flags: object, command: Command) => {
      const { client, orgName, repoName, print } = openHome(io, command);
      print(await client.subscription.unbindCredentials(orgName, repoName, name));
    });
}

function addTest(subscription: Command, io: CommandIo): void {
  addHome(subscription.command('test <name>'))
    .summary('send a test delivery now, and show how it was answered; ends with 1 where it was not taken')
    .action(async (name: string, _flags: object, command: Command) => {
      const { client, orgName, repoName, print } = openHome(io, command);
      const answer = await client.subscription.test(orgName, repoName, name);
      print(answer);
      if (answer.outcome !== 'succeeded' && answer.outcome !== 'accepted') io.setExitCode(EXIT.failed);
    });
}
