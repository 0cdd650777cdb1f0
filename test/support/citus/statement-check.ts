// Checks statements against the rules of Citus, as far as that is possible without Citus. Citus sends a statement to
// one machine if it compares the distribution column of each distributed table with one value. It accepts any SQL then.
// This check asks PostgreSQL's own planner, because Citus relies on the same row conditions. Other statements go to all
// machines, and Citus supports few of those. They are listed here, each with the reason why it is allowed.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import postgres from 'postgres';
import { PLACEMENTS } from '../../../packages/server/src/engine/placement.ts';
import type { Noted } from './statement-recorder.ts';

const ROOT = join(import.meta.dirname, '../../..');

interface Spanning {
  /** The start of the statement, or a part that is unique to it. */
  readonly sql: RegExp;
  readonly why: string;
}

const SWEEP = 'background work looks now and then for what there is to do anywhere';
const REMOVAL = 'a repository that is removed for good is looked for in others, once';

/**
 * Statements that may go to all machines: on one table, or on tables joined by the repository. None is part of a commit
 * or a read.
 */
export const SPANNING: readonly Spanning[] = [
  { sql: /^select repo_id, owner, stream_id from stream where closed_at is null/, why: SWEEP },
  { sql: /^select repo_id, shape_id, field_id from shape_field where built_to is not null/, why: SWEEP },
  { sql: /^select repo_id, build_id, claims from export_build b where state <> 'waiting'/, why: SWEEP },
  { sql: /^select repo_id from run where created_at < \$1/, why: SWEEP },
  { sql: /^select s\.repo_id from repo_sequence s left join search_state i/, why: SWEEP },
  { sql: /^select i\.repo_id from search_state i left join repo_sequence s/, why: SWEEP },
  {
    sql: /^select repo_id, repo_seq from repo_sequence order by repo_id$/,
    why: 'a migration visits all repositories once',
  },
  { sql: /^select status, count\(\*\) as n from run where status = 'pending'/, why: 'metrics count runs' },
  {
    sql: /^select repo_id(, subscription_id)? from watch where home_id = \$1/,
    why: 'whom a home watches, when it stops',
  },
  { sql: /^(select subscription_id|delete) from watch where home_id = \$1/, why: REMOVAL },
  { sql: /^(select [\w, ]+|delete) from ref where repo_id = \$1 and repo_id <> target_repo_id/, why: REMOVAL },
  { sql: /^update (credential_set|subscription|watch) set component = /, why: 'an organization is renamed' },
  { sql: /^select \* from ref where repo_id = \$1 order by/, why: 'a check goes through all rows of a repository' },
  { sql: /^select [\w, ]+ from run where true order by/, why: 'a test looks at the runs of all repositories' },
  { sql: /^select count\(\*\) as n from (ref|watch) where /, why: 'a test counts what a removal has left' },
  { sql: /^select \* from credential_(set|event)$/, why: 'a test looks for secrets in all rows' },
  { sql: /^select .* from credential_key$/, why: 'the secret is rotated while all nodes are stopped' },
];

export interface Checked {
  readonly count: number;
  readonly problems: readonly string[];
}

/** Skips statements that occur in the text `besides`. */
export async function checkStatements(
  url: string,
  noted: readonly Noted[],
  besides: string = testSources(),
): Promise<Checked> {
  const sql = postgres(url, {
    max: 1,
    onnotice: () => {},
    connection: { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' },
  });
  const plans = new Map<string, Plan>();
  const texts = new Set(noted.flatMap((one) => ('sql' in one ? [one.sql] : one.transaction)));
  for (const text of texts) {
    if (!isStatement(text) || besides.includes(normal(text))) continue;
    const plan = await planOf(sql, text);
    if (plan !== undefined) plans.set(text, plan);
  }
  await sql.end();
  const transactions = noted.flatMap((one) => ('transaction' in one ? [one.transaction] : []));
  const problems = [
    ...[...plans].flatMap(([text, plan]) => problemsOf(normal(text), plan)),
    ...transactions.flatMap((transaction) => commitProblems(transaction, plans)),
  ];
  return { count: plans.size, problems: [...new Set(problems)] };
}

const isStatement = (text: string) =>
  /^\s*(select|with|insert|update|delete)\b/i.test(text) && !/\bpg_\w+|citus/.test(text);

/** Tests query tables directly, across repositories. Their statements occur in the test files. */
function testSources(): string {
  const files = globSync(['packages/*/src/**/*.test.ts', 'test/**/*.ts'], { cwd: ROOT });
  return normal(files.map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n'));
}

const normal = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

interface PlanNode {
  readonly 'Node Type': string;
  readonly Operation?: string;
  readonly 'Relation Name'?: string;
  readonly Alias?: string;
  readonly Plans?: readonly PlanNode[];
  readonly [key: string]: unknown;
}

interface Scan {
  readonly table: string;
  readonly alias: string;
  readonly condition: string;
}

export interface Plan {
  readonly scans: readonly Scan[];
  readonly changes: string | undefined;
}

async function planOf(sql: postgres.Sql, text: string): Promise<Plan | undefined> {
  if (!(await isPrepared(sql, text))) return undefined;
  try {
    const [prepared] = await sql.unsafe(
      `select cardinality(parameter_types) as count from pg_prepared_statements where name = 'checked'`,
    );
    const nulls = Array.from({ length: Number(prepared?.count ?? 0) }, () => 'null').join(', ');
    const [explained] = await sql.unsafe(`explain (format json) execute checked${nulls === '' ? '' : `(${nulls})`}`);
    const [{ Plan: root } = { Plan: undefined }] = (explained?.['QUERY PLAN'] ?? []) as { Plan: PlanNode }[];
    const nodes = root === undefined ? [] : nodesOf(root);
    const changed = nodes.find((node) => node['Node Type'] === 'ModifyTable');
    const scans = nodes.flatMap((node) => scanOf(node));
    if (scans.length === 0 && changed === undefined) return undefined;
    return { scans, changes: changed?.['Relation Name'] };
  } finally {
    await sql.unsafe('deallocate checked');
  }
}

/** Statements of old migrations may name tables and columns that no longer exist. */
const GONE = new Set(['42703', '42P01']);

async function isPrepared(sql: postgres.Sql, text: string): Promise<boolean> {
  try {
    await sql.unsafe(`prepare checked as ${text}`);
    return true;
  } catch (error) {
    if (error instanceof postgres.PostgresError && GONE.has(error.code)) return false;
    throw new Error(`This statement cannot be planned: ${text}`, { cause: error });
  }
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

function scanOf(node: PlanNode): Scan[] {
  const table = node['Relation Name'];
  if (table === undefined || node['Node Type'] === 'ModifyTable') return [];
  const conditions = Object.entries(node).filter(([key]) => key.endsWith('Cond') || key.endsWith('Filter'));
  return [{ table, alias: node.Alias ?? table, condition: conditions.map(([, value]) => String(value)).join(' AND ') }];
}

const VALUE = String.raw`(?:\(?\$\d+\)?|'-?\d+'|-?\d+)(?:::bigint)?`;

/** The machines that a scan reaches: one, those of a list of values, or all. */
export function reachOf({ table, condition }: Scan): 'one' | 'listed' | 'all' {
  const placement = PLACEMENTS[table];
  if (placement?.kind !== 'distributed') return 'one';
  const column = String.raw`(?<![\w])(?:\w+\.)?${placement.by}`;
  if (new RegExp(String.raw`${column} = ${VALUE}(?![\w.])`).test(condition)) return 'one';
  return new RegExp(String.raw`${column} = ANY \(`).test(condition) ? 'listed' : 'all';
}

const kindsIn = (tables: readonly string[]) => new Set(tables.map((table) => PLACEMENTS[table]?.kind ?? 'coordinator'));

export function problemsOf(text: string, { scans, changes }: Plan): string[] {
  const tables = [...scans.map(({ table }) => table), ...(changes === undefined ? [] : [changes])];
  const kinds = kindsIn(tables);
  const isDistributed = kinds.has('distributed');
  const spread = scans.filter((scan) => reachOf(scan) === 'all').map(({ alias }) => alias);
  const listed = scans.filter((scan) => reachOf(scan) === 'listed');
  const isPlain = scans.length === 1 && changes === undefined;
  const spans = spread.length > 0 || listed.length > 0;
  const mayspan = SPANNING.some(({ sql }) => sql.test(text)) || (spread.length === 0 && isPlain);
  const rules: [boolean, string][] = [
    [isDistributed && kinds.has('coordinator'), 'joins what is distributed with what stays on the coordinator'],
    [
      /\bskip locked\b/.test(text) && (isDistributed || kinds.has('reference')),
      'skips locked rows of several machines',
    ],
    [spans && !mayspan, `reads ${[...spread, ...listed.map(({ alias }) => alias)].join(', ')} on several machines`],
    [
      spans && /\bfor update\b|\blateral\b|\brecursive\b/.test(text),
      'does on several machines what Citus does on one alone',
    ],
    [kindOf(changes) === 'reference' && kinds.size > 1, 'changes a reference table by others'],
    [kindOf(changes) === 'distributed' && /\bvalues \(.*\(select\b/.test(text), 'inserts values that it selects'],
    [isDistributed && changes !== undefined && VOLATILE.test(text), 'changes rows by what differs at each call'],
  ];
  return rules.filter(([broken]) => broken).map(([, what]) => `${what}: ${text}`);
}

const VOLATILE = /\b(random|clock_timestamp|gen_random_uuid|nextval|now)\(/;

const kindOf = (table: string | undefined) => (table === undefined ? undefined : PLACEMENTS[table]?.kind);

/** A change of a reference table goes to every machine, and no commit may wait for that. */
function commitProblems(transaction: readonly string[], plans: ReadonlyMap<string, Plan>): string[] {
  if (!transaction.some((text) => plans.get(text)?.changes === 'commit')) return [];
  const changing = transaction.filter((text) => kindOf(plans.get(text)?.changes) === 'reference');
  return changing.map((text) => `changes a reference table in a commit: ${normal(text)}`);
}
