// The flags that say which records a command means, in which order it lists them, and what of them it shows.
import { MEMBER_ROLES, ORDERS, type Order, RECORD_KINDS } from '@cairn/protocol/vocabulary';
import type { WherePredicate } from '@cairn/sdk';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { addLive } from './live-list.ts';
import { addList, type ListFlags } from './paging.ts';
import { addSequence, numberUpTo, type SequenceFlags, sequenceFlagsOf } from './sequence.ts';

export interface SelectionFlags {
  readonly shape?: string;
  readonly kind?: (typeof RECORD_KINDS)[number];
  readonly match?: string;
}

export interface FilterFlags extends SelectionFlags, SequenceFlags {
  readonly where?: readonly WhereFlag[];
}

type WhereFlag = string | WherePredicate;

export function addKind(command: Command): Command {
  return command.addOption(new Option('--kind <kind>', 'only records of this kind').choices(RECORD_KINDS));
}

/** By what a record is called; `addKind` adds by what it is. */
export function addSelection(command: Command): Command {
  return command
    .option('--shape <name>', 'only records of this shape')
    .option('--match <glob>', "only records with such a name: * is part of a segment, ** is anything; quote it: 'A/*'");
}

export function selectionOf({ shape, kind, match }: SelectionFlags): SelectionFlags {
  return {
    ...(shape !== undefined && { shape }),
    ...(kind !== undefined && { kind }),
    ...(match !== undefined && { match }),
  };
}

export function addFilter(command: Command): Command {
  const append = (text: string, before: readonly WhereFlag[] = []) => [...before, ...conditionsIn(text)];
  return addSequence(
    addSelection(command).option(
      '--where <path:op:value>',
      'a condition on a field, such as x:gte:3, or a JSON array of them; again for each; with --shape',
      append,
    ),
  );
}

/** As REST takes them: what the short form cannot say is JSON. */
function conditionsIn(text: string): readonly WhereFlag[] {
  if (!text.startsWith('[')) return [text];
  try {
    return JSON.parse(text) as WherePredicate[];
  } catch (error) {
    throw new InvalidArgumentError(`It begins like JSON and is none: ${(error as Error).message}`);
  }
}

export function filterOf({ where, ...flags }: FilterFlags) {
  return { ...selectionOf(flags), ...sequenceFlagsOf(flags), ...(where !== undefined && { where: [...where] }) };
}

export interface ListingFlags extends ListFlags {
  readonly order?: Order;
  readonly fields?: string[];
}

export function addListing(command: Command): Command {
  return addLive(
    addList(
      command
        .addOption(new Option('--order <order>', 'a minus sign begins with the newest').choices(ORDERS))
        .option('--fields <paths>', 'show these paths of data alone, such as x,position.y', (paths) =>
          paths.split(','),
        ),
    ),
  );
}

export function listingOf({ order, fields }: ListingFlags) {
  return { ...(order !== undefined && { order }), ...(fields !== undefined && { fields }) };
}

export interface AboutFlags {
  readonly resolveCollections?: true;
  readonly role?: (typeof MEMBER_ROLES)[number];
  readonly depth?: number;
  readonly acrossRepos?: true;
}

export function addAboutOptions(command: Command): Command {
  return command
    .option('--resolve-collections', 'also about collections that contain the record')
    .addOption(new Option('--role <role>', 'only collections that hold it as this').choices(MEMBER_ROLES))
    .option('--depth <levels>', 'also assertions about those assertions, up to 3 levels', numberUpTo(3))
    .option('--across-repos', 'also assertions in other repositories that you may read');
}

export function aboutOptionsOf({ resolveCollections, role, depth, acrossRepos }: AboutFlags) {
  return {
    ...(resolveCollections && { resolveCollections }),
    ...(role !== undefined && { role }),
    ...(depth !== undefined && { depth }),
    ...(acrossRepos && { acrossRepos }),
  };
}
