import type { RecordPage } from '@cairn/sdk';
import { type Command, Option } from 'commander';
import {
  type AboutFlags,
  aboutOptionsOf,
  addAboutOptions,
  addFilter,
  addKind,
  addListing,
  type FilterFlags,
  filterOf,
  type ListingFlags,
  listingOf,
  type PagingFlags,
  printList,
} from '../flags.ts';
import type { Io } from '../io.ts';
import { followList, type LiveFlags } from '../live-list.ts';
import { orNear, orUnknownShape, tellUnknownShape } from '../near-name.ts';
import { openRepo, type RepoSession } from '../session.ts';
import { tellUnknownFields } from '../undeclared-field.ts';

const WRITTEN = ['committerWref', 'createdBy', 'versionCreatedAt', 'version'];
const THING_LIST_COLUMNS = ['wref', 'data', ...WRITTEN, 'kind'];
const ABOUT_COLUMNS = ['wref', 'aboutWref', 'data', ...WRITTEN];
const FOUND_COLUMNS = ['wref', 'snippet', ...WRITTEN, 'kind'];

export function addLists(thing: Command, io: Io): void {
  addHead(thing, io);
  addQuery(thing, io);
  addAbout(thing, io);
  addSearch(thing, io);
  addCount(thing, io);
}

type RecordFlags = FilterFlags & ListingFlags;

interface RecordList {
  readonly columns: readonly string[];
  readonly list: (opened: RepoSession, options: ReturnType<typeof optionsOf>) => Promise<RecordPage>;
}

function optionsOf(flags: RecordFlags, paging: PagingFlags) {
  return { ...filterOf(flags), ...listingOf(flags), ...paging };
}

async function printRecords(io: Io, command: Command, shown: RecordList): Promise<void> {
  const { live }: LiveFlags = command.optsWithGlobals();
  if (live) await followList(io, command, (captured) => printOnce(captured, command, shown));
  else await printOnce(io, command, shown);
}

/** Returns true if the list covers all commits: searches lag behind a little. */
async function printOnce(io: Io, command: Command, { columns, list }: RecordList): Promise<boolean> {
  const flags: RecordFlags = command.opts();
  const opened = openRepo(io, command);
  const page = await orUnknownShape(opened, flags, () =>
    printList(opened, {
      flags,
      columns: flags.includeRetracted ? [...columns, 'active'] : columns,
      list: (paging) => list(opened, optionsOf(flags, paging)),
    }),
  );
  const { repoSeq, searchedThrough = repoSeq, items } = page;
  if (items.length === 0) await tellUnknownShape(opened, flags);
  await tellUnknownFields(opened, flags, items);
  if (searchedThrough >= repoSeq) return true;
  opened.say(`The search index covers the commits up to ${searchedThrough} of ${repoSeq}. Try again for the rest.`);
  return false;
}

function addHead(thing: Command, io: Io): void {
  addListing(addFilter(addKind(thing.command('head').alias('list'))))
    .summary('list the records of the repository')
    .action(async (_flags: RecordFlags, command: Command) => {
      await printRecords(io, command, {
        columns: THING_LIST_COLUMNS,
        list: ({ repo }, options) => repo().things.head(options),
      });
    });
}

interface QueryFlags extends AboutFlags {
  readonly about?: string;
  readonly q?: string;
}

function addQueryOptions(command: Command): Command {
  return addAboutOptions(
    addFilter(addKind(command))
      .option('--about <wref>', 'only assertions about this record')
      .option('--q <words>', 'only records with these words in their name or data'),
  );
}

function queryOptionsOf({ about, q, ...flags }: QueryFlags) {
  return { ...aboutOptionsOf(flags), about, q };
}

function columnsOf({ about, q }: QueryFlags): readonly string[] {
  if (q !== undefined) return FOUND_COLUMNS;
  return about === undefined ? THING_LIST_COLUMNS : ABOUT_COLUMNS;
}

function addQuery(thing: Command, io: Io): void {
  addListing(addQueryOptions(thing.command('query')))
    .summary('find records by fields, by words, or by what they are about')
    .addOption(
      new Option('--count', 'show only the number of records').conflicts(['order', 'fields', 'limit', 'cursor', 'all']),
    )
    .action(async (flags: FilterFlags & QueryFlags & { count?: true }, command: Command) => {
      if (flags.count) return await printCount(io, command, flags);
      await printRecords(io, command, {
        columns: columnsOf(flags),
        list: (opened, options) =>
          aboutOrNear(opened, flags.about, () => opened.repo().things.query({ ...options, ...queryOptionsOf(flags) })),
      });
    });
}

/** For a missing subject, uses the error of `thing get`, which names what is missing. */
async function aboutOrNear<Result>(
  opened: RepoSession,
  about: string | undefined,
  work: () => Promise<Result>,
): Promise<Result> {
  if (about === undefined) return await work();
  return await orNear(opened, { name: about, clearer: () => opened.repo().things.get(about) }, work);
}

function addAbout(thing: Command, io: Io): void {
  addListing(addAboutOptions(addFilter(thing.command('about <wref>'))))
    .summary('list the assertions about a record')
    .action(async (wref: string, flags: AboutFlags, command: Command) => {
      await printRecords(io, command, {
        columns: ABOUT_COLUMNS,
        list: (opened, options) =>
          aboutOrNear(opened, wref, () => opened.repo().things.about(wref, { ...options, ...aboutOptionsOf(flags) })),
      });
    });
}

function addSearch(thing: Command, io: Io): void {
  addListing(addFilter(addKind(thing.command('search <words...>'))))
    .summary('list the records that contain all words, best match first')
    .action(async (words: string[], _flags: RecordFlags, command: Command) => {
      await printRecords(io, command, {
        columns: FOUND_COLUMNS,
        list: ({ repo }, options) => repo().things.search(words.join(' '), options),
      });
    });
}

function addCount(thing: Command, io: Io): void {
  addQueryOptions(thing.command('count'))
    .summary('count records, with the filters of query')
    .action(async (flags: FilterFlags & QueryFlags, command: Command) => await printCount(io, command, flags));
}

async function printCount(io: Io, command: Command, flags: FilterFlags & QueryFlags): Promise<void> {
  const opened = openRepo(io, command);
  const options = { ...filterOf(flags), ...queryOptionsOf(flags) };
  const counted = await orUnknownShape(opened, flags, () =>
    aboutOrNear(opened, flags.about, () => opened.repo().things.count(options)),
  );
  opened.print(counted);
  if (counted.count === 0) await tellUnknownShape(opened, flags);
}

export function addKindList(noun: Command, io: Io, kind: 'assertion' | 'collection'): void {
  addListing(addFilter(noun.command('list')))
    .summary(`list the ${kind}s of the repository`)
    .action(async (_flags: RecordFlags, command: Command) => {
      await printRecords(io, command, {
        columns: kind === 'assertion' ? ABOUT_COLUMNS : THING_LIST_COLUMNS,
        list: ({ repo }, options) => repo().things.head({ ...options, kind }),
      });
    });
}
