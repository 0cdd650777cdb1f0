// The flags of commands that list.
import type { Page } from '@cairn/sdk';
import { type Command, Option } from 'commander';
import { numberUpTo } from './sequence.ts';
import type { Session } from './session.ts';

export interface PagingFlags {
  readonly limit?: number;
  readonly cursor?: string;
}

const PAGE_MAX = 500;

interface PageBounds {
  /** How many items a page of this list can have. */
  readonly pageMax?: number;
  /** How more than a page is shown. */
  readonly beyond?: string;
}

export function addPaging(command: Command, { pageMax = PAGE_MAX, beyond = BY_CURSOR }: PageBounds = {}): Command {
  return command
    .option('--limit <count>', `how many to show at most, up to ${pageMax} (default: 50)`, numberUpTo(pageMax, beyond))
    .option('--cursor <cursor>', 'go on where the page before ended');
}

const BY_CURSOR = '; --cursor goes on where a page ended';

/** The paging flags alone, of all that a command has. */
export function pagingOf({ limit, cursor }: PagingFlags): PagingFlags {
  return { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) };
}

export interface ListFlags extends PagingFlags {
  readonly all?: true;
}

/** For lists that can be long: paging, or all of it. */
export function addList(command: Command, { pageMax }: Pick<PageBounds, 'pageMax'> = {}): Command {
  return addPaging(command, { ...(pageMax !== undefined && { pageMax }), beyond: ', or use --all' }).addOption(
    new Option('--all', 'show all of them').conflicts('limit'),
  );
}

interface ShownList<Shown extends Page<object>> {
  readonly flags: ListFlags;
  readonly columns: readonly string[];
  readonly list: (paging: PagingFlags) => Promise<Shown>;
  /** How many items a page of this list can have. */
  readonly pageMax?: number;
}

/** Prints a page, or with `--all` everything from there on; gives the last page. */
export async function printList<Shown extends Page<object>>(session: Session, shown: ShownList<Shown>): Promise<Shown> {
  const { flags, columns, list } = shown;
  if (flags.all) return await printAll(session, shown);
  const page = await list(pagingOf(flags));
  session.printPage(page, columns);
  return page;
}

async function printAll<Shown extends Page<object>>(
  { format, printPage }: Session,
  { flags, columns, list, pageMax = PAGE_MAX }: ShownList<Shown>,
): Promise<Shown> {
  let paging: PagingFlags = { ...pagingOf(flags), limit: pageMax };
  let items: object[] = [];
  for (;;) {
    const page = await list(paging);
    const { nextCursor, ...rest } = page;
    items.push(...page.items);
    // Lines need not wait for each other; a table and an object are made from everything.
    if (nextCursor === undefined || format === 'jsonl') printPage({ ...rest, items }, columns);
    if (nextCursor === undefined) return page;
    if (format === 'jsonl') items = [];
    paging = { ...paging, cursor: nextCursor };
  }
}
