import { MEMBER_ROLES, ORDERS, type Order, RECORD_KINDS } from '@cairn/protocol/vocabulary';
import type { Page, WherePredicate } from '@cairn/sdk';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { UsageError } from './exit-codes.ts';
import type { Io } from './io.ts';
import { addLive } from './live-list.ts';
import type { Session } from './session.ts';

export interface AtFlags {
  readonly at?: number;
}

export interface SequenceFlags extends AtFlags {
  readonly includeRetracted?: true;
}

export function addAt(command: Command): Command {
  return command.option('--at <repo-seq>', 'use the repository as of this commit', wholeNumber);
}

export function addSequence(command: Command): Command {
  return addAt(command).option('--include-retracted', 'include retracted records');
}

export function sequenceFlagsOf({ at, includeRetracted }: SequenceFlags) {
  return { atRepoSeq: at, includeRetracted };
}

/** `beyond` says how to get more than the maximum. */
export function numberUpTo(max: number, beyond = '') {
  return (text: string): number => {
    const number = wholeNumber(text);
    if (number >= 1 && number <= max) return number;
    throw new InvalidArgumentError(`Write a whole number from 1 to ${max}${beyond}.`);
  };
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('Write a whole number.');
  return Number(text);
}

export interface PagingFlags {
  readonly limit?: number;
  readonly cursor?: string;
}

const PAGE_MAX = 500;

interface PageBounds {
  readonly pageMax?: number;
  /** Says how to get more than a page. */
  readonly beyond?: string;
}

export function addPaging(command: Command, { pageMax = PAGE_MAX, beyond = BY_CURSOR }: PageBounds = {}): Command {
  return command
    .option('--limit <count>', `maximum number of results, up to ${pageMax} (default: 50)`, numberUpTo(pageMax, beyond))
    .option('--cursor <cursor>', 'continue after the previous page');
}

const BY_CURSOR = '; --cursor continues after a page';

export function pagingOf({ limit, cursor }: PagingFlags): PagingFlags {
  return { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) };
}

export interface ListFlags extends PagingFlags {
  readonly all?: true;
}

export function addList(command: Command, { pageMax }: Pick<PageBounds, 'pageMax'> = {}): Command {
  return addPaging(command, { ...(pageMax !== undefined && { pageMax }), beyond: ', or use --all' }).addOption(
    new Option('--all', 'show all results').conflicts('limit'),
  );
}

interface ShownList<Shown extends Page<object>> {
  readonly flags: ListFlags;
  readonly columns: readonly string[];
  readonly row?: ((item: never) => object) | undefined;
  readonly list: (paging: PagingFlags) => Promise<Shown>;
  readonly pageMax?: number | undefined;
}

/** With `--all` prints all pages from the cursor on. Returns the last page. */
export async function printList<Shown extends Page<object>>(session: Session, shown: ShownList<Shown>): Promise<Shown> {
  const { flags, columns, row, list } = shown;
  if (flags.all) return await printAll(session, shown);
  const page = await list(pagingOf(flags));
  session.printPage(page, columns, row);
  return page;
}

export function listed<Opened extends Session, Given extends unknown[], Shown extends Page<object>>(
  io: Io,
  open: (io: Io, command: Command) => Opened,
  shown: Pick<ShownList<Shown>, 'columns' | 'row' | 'pageMax'>,
  list: (opened: Opened, paging: PagingFlags, ...given: Given) => Promise<Shown>,
) {
  return async (...given: unknown[]): Promise<void> => {
    const [flags, command] = given.slice(-2) as [ListFlags, Command];
    const opened = open(io, command);
    await printList(opened, { ...shown, flags, list: (paging) => list(opened, paging, ...(given as Given)) });
  };
}

async function printAll<Shown extends Page<object>>(
  { format, printPage }: Session,
  { flags, columns, row, list, pageMax = PAGE_MAX }: ShownList<Shown>,
): Promise<Shown> {
  let paging: PagingFlags = { ...pagingOf(flags), limit: pageMax };
  let items: object[] = [];
  for (;;) {
    const page = await list(paging);
    const { nextCursor, ...rest } = page;
    items.push(...page.items);
    // Lines can be printed page by page. Tables and JSON need all items.
    if (nextCursor === undefined || format === 'jsonl') printPage({ ...rest, items }, columns, row);
    if (nextCursor === undefined) return page;
    if (format === 'jsonl') items = [];
    paging = { ...paging, cursor: nextCursor };
  }
}

/** People copy this name into other commands. */
export const withFullName = <Item extends { orgName: string; name: string }>(item: Item) => ({
  ...item,
  name: `${item.orgName}/${item.name}`,
});

export interface ProfileFlags {
  readonly displayName?: string;
  readonly description?: string;
}

export function addProfile(command: Command): Command {
  return command
    .option('--display-name <name>', 'display name')
    .option('--description <text>', 'what it is for, at most 2,000 characters');
}

export function requireChange(flags: ProfileFlags): ProfileFlags {
  if (Object.keys(flags).length > 0) return flags;
  throw new UsageError('Nothing to change. Give --display-name, --description or both.');
}

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

export function addSelection(command: Command): Command {
  return command
    .option('--shape <name>', 'only records of this shape')
    .option('--match <glob>', "only records whose name matches: * within a segment, ** anything; quote it: 'A/*'");
}

export function selectionOf({ shape, kind, match }: SelectionFlags) {
  return { shape, kind, match };
}

export function addFilter(command: Command): Command {
  const append = (text: string, before: readonly WhereFlag[] = []) => [...before, ...conditionsIn(text)];
  return addSequence(
    addSelection(command).option(
      '--where <path:op:value>',
      'a condition on a field, such as x:gte:3, or a JSON array of conditions; repeatable; needs --shape',
      append,
    ),
  );
}

/** Same format as in REST: JSON for conditions that the short form cannot express. */
function conditionsIn(text: string): readonly WhereFlag[] {
  if (!text.startsWith('[')) return [text];
  try {
    return JSON.parse(text) as WherePredicate[];
  } catch (error) {
    throw new InvalidArgumentError(`It is not valid JSON: ${(error as Error).message}`);
  }
}

export function filterOf({ where, ...flags }: FilterFlags) {
  return { ...selectionOf(flags), ...sequenceFlagsOf(flags), where: where && [...where] };
}

export interface ListingFlags extends ListFlags {
  readonly order?: Order;
  readonly fields?: string[];
}

export function addListing(command: Command): Command {
  return addLive(
    addList(
      command
        .addOption(new Option('--order <order>', 'sort order; a minus sign puts the newest first').choices(ORDERS))
        .option('--fields <paths>', 'show only these paths of the data, such as x,position.y', (paths) =>
          paths.split(','),
        ),
    ),
  );
}

export function listingOf({ order, fields }: ListingFlags) {
  return { order, fields };
}

export interface AboutFlags {
  readonly resolveCollections?: true;
  readonly role?: (typeof MEMBER_ROLES)[number];
  readonly depth?: number;
  readonly acrossRepos?: true;
}

export function addAboutOptions(command: Command): Command {
  return command
    .option('--resolve-collections', 'include assertions about collections that contain the record')
    .addOption(
      new Option('--role <role>', 'only collections that contain the record in this role').choices(MEMBER_ROLES),
    )
    .option('--depth <levels>', 'include assertions about those assertions, up to 3 levels', numberUpTo(3))
    .option('--across-repos', 'include assertions in other repositories that you can read');
}

export function aboutOptionsOf({ resolveCollections, role, depth, acrossRepos }: AboutFlags) {
  return { resolveCollections, role, depth, acrossRepos };
}
