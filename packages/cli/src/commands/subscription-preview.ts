// `cairn subscription preview`: what a filter would have matched, before a subscription is made with it.
import type { Command } from 'commander';
import { UsageError } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { openSession, repoOf } from '../session.ts';
import { addSubscriptionFilter, type FilterFlags, triggerOf } from '../subscription-filter.ts';

const COLUMNS = ['matches', 'repoSeq', 'opIndex', 'operation', 'kind', 'name', 'from'];

interface PreviewFlags extends FilterFlags {
  readonly source?: string;
  readonly matching?: true;
}

export function addSubscriptionPreview(subscription: Command, io: Io): void {
  addSubscriptionFilter(subscription.command('preview'))
    .summary('show which of the last 100 operations a filter would have matched')
    .option('--source <org/repo>', 'the repository whose operations are looked at, where that is another one')
    .option('--matching', 'only those that match')
    .action(async ({ source, matching, ...flags }: PreviewFlags, command: Command) => {
      const { client, printPage } = openSession(io, command);
      const { orgName, repoName } = repoOf(io, command);
      const trigger = await triggerOf(io, flags);
      if (trigger === undefined || !('filter' in trigger)) {
        throw new UsageError('Give a filter: --shape, --operation, --kind, --match, --record or --filter.');
      }
      const options = source === undefined ? {} : { source };
      const { items } = await client.subscription.preview(orgName, repoName, trigger.filter, options);
      printPage({ items: matching ? items.filter(({ matches }) => matches) : items }, COLUMNS);
    });
}
