// The flags that say what a subscription is for: a filter in JSON, the same in words, or an event.
import {
  ORGANIZATION_EVENTS,
  RECORD_KINDS,
  REPOSITORY_EVENTS,
  type SubscriptionEvent,
} from '@cairn/protocol/vocabulary';
import type { SubscriptionFilter } from '@cairn/sdk';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from './exit-codes.ts';
import { JSON_WAYS, readJsonFlag } from './input.ts';
import type { Io } from './io.ts';

const OPERATIONS = ['add', 'revise', 'retract', 'rename'] as const;
const EVENTS = [...new Set([...REPOSITORY_EVENTS, ...ORGANIZATION_EVENTS])];

export interface FilterFlags {
  readonly filter?: string;
  readonly operation?: (typeof OPERATIONS)[number][];
  readonly kind?: (typeof RECORD_KINDS)[number][];
  readonly shape?: string[];
  readonly record?: string[];
  readonly match?: string[];
  readonly event?: SubscriptionEvent;
}

export function addSubscriptionFilter(command: Command): Command {
  return command
    .option('--shape <name>', 'operations on records of this shape; this and the next four again for each', append)
    .option('--operation <operation>', `operations of this kind: ${OPERATIONS.join(', ')}`, appendOneOf(OPERATIONS))
    .option('--kind <kind>', `operations on such records: ${RECORD_KINDS.join(', ')}`, appendOneOf(RECORD_KINDS))
    .option('--match <glob>', "operations on records with such a name; quote it: 'Signal/**'", append)
    .option('--record <name>', 'operations on this record, by its full name', append)
    .option('--filter <json>', `a filter in full, with all, any and not; '{}' matches every operation; ${JSON_WAYS}`)
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

/** Nothing where no flag says anything. */
export async function triggerOf(io: Io, { filter, event, ...flags }: FilterFlags): Promise<Trigger | undefined> {
  const words = wordsOf(flags);
  const given = [filter, event, words].filter((way) => way !== undefined);
  if (given.length > 1) {
    throw new UsageError('Give either --filter, or --event, or flags such as --shape and --operation.');
  }
  if (event !== undefined) return { event };
  // The server says what is wrong with it.
  if (filter !== undefined) return { filter: (await readJsonFlag(io, filter, '--filter')) as SubscriptionFilter };
  return words && { filter: words };
}

/** Between values of one flag is an "or", between flags an "and". */
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
