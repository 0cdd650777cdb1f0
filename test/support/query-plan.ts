// The statements that a request runs, and each engine's plan for them: the rows and indexes that they use.
import { DatabaseSync } from 'node:sqlite';
import postgres from 'postgres';
import { inject, onTestFinished } from 'vitest';
import { AccessView } from '../../packages/server/src/engine/access-epoch.ts';
import type { BulkRows, BulkStatement, Database, Reader, Value } from '../../packages/server/src/engine/database.ts';
import { toSqliteParameters } from '../../packages/server/src/engine/sqlite/dialect.ts';
import type { Store } from '../../packages/server/src/store.ts';

export interface RunStatement {
  readonly sql: string;
  readonly params: readonly Value[];
  /** True if it ran off the main thread, as reads without an index bound do. */
  readonly beside: boolean;
}

export interface RecordedStore {
  readonly store: Store;
  take(): RunStatement[];
}

export function recorded(store: Store): RecordedStore {
  const { database } = store;
  let run: RunStatement[] = [];
  const note = (beside: boolean) => (sql: string, params: readonly Value[]) => run.push({ sql, params, beside });
  const heard: Database = {
    ...database,
    ...heardReader(database, database.engine, note(false)),
    beside: heardReader(database.beside, database.engine, note(true)),
    // No cached access view, so that each request is recorded like a first one.
    accessView: async () => new AccessView(0),
    accessViewAtOnce: () => new AccessView(0),
  };
  return {
    store: { ...store, database: heard },
    take: () => {
      const taken = run;
      run = [];
      return taken;
    },
  };
}

function heardReader(
  reader: Reader,
  engine: Database['engine'],
  note: (sql: string, params: readonly Value[]) => void,
): Reader {
  return {
    query: (sql, params = []) => {
      note(sql, params);
      return reader.query(sql, params);
    },
    bulk: (statement, rows) => {
      for (const [sql, params] of bulkTexts(engine, statement, rows)) note(sql, params);
      return reader.bulk(statement, rows);
    },
  };
}

function bulkTexts(
  engine: Database['engine'],
  statement: BulkStatement,
  { common, rows }: BulkRows,
): [string, Value[]][] {
  const [first] = rows;
  if (first === undefined) return [];
  if (engine === 'postgres') return [[statement.set, [...common, ...first.map(arrayOf)]]];
  const each: [string, Value[]] = [statement.each, [...common, ...first]];
  return statement.many === undefined ? [each] : [each, [statement.many, [...common, JSON.stringify([first[0]])]]];
}

/** A one-element array in the driver's format. Bytes need a text form. */
function arrayOf(value: Value): Value {
  if (value instanceof Uint8Array) return `{"\\\\x${Buffer.from(value).toString('hex')}"}`;
  return [value] as unknown as Value;
}

export interface PlanReader {
  /** Problems in the plans of statements: full table scans and sorts of lists. */
  problems(statements: readonly RunStatement[]): Promise<string[]>;
}

export async function openPlanReader(store: Store): Promise<PlanReader> {
  const explain = store.database.engine === 'sqlite' ? await sqlitePlans(store) : await postgresPlans(store);
  const known = new Map<string, string[]>();
  return {
    problems: async (statements) => {
      const found: string[] = [];
      for (const { sql, params } of statements) {
        const problems = known.get(sql) ?? (await explain(sql, params));
        known.set(sql, problems);
        found.push(...problems);
      }
      return [...new Set(found)];
    },
  };
}

type Explain = (sql: string, params: readonly Value[]) => Promise<string[]>;

const TABLES = new Set([
  'record',
  'version',
  'name',
  'ref',
  'rename',
  'field_index',
  'shape_field',
  'commit',
  'repo_sequence',
]);

async function sqlitePlans({ database }: Store): Promise<Explain> {
  const [main] = await database.query<{ file: string }>('select file from pragma_database_list', []);
  const connection = new DatabaseSync(main?.file ?? '', { readOnly: true });
  onTestFinished(() => connection.close());
  connection.function('matches_glob', (_glob, _name) => 1);
  return async (sql, params) => {
    const plan = connection.prepare(`explain query plan ${toSqliteParameters(sql)}`).all(...params) as unknown;
    const aliases = aliasesIn(sql);
    return (plan as { detail: string }[]).flatMap(({ detail }) => {
      const scanned = /^SCAN (\S+)/.exec(detail)?.[1] ?? '';
      const isTable = TABLES.has(scanned) || aliases.has(scanned) || isWholeRepository(detail);
      return isTable || detail.includes('TEMP B-TREE FOR ORDER BY') ? [detail] : [];
    });
  };
}

const isWholeRepository = (plan: string) =>
  /\(?\brepo_id ?= ?[^=]*\)$/.test(plan) && !plan.includes(' AND ') && !plan.includes('repo_sequence');

function aliasesIn(sql: string): Set<string> {
  const named = [...sql.matchAll(/\b(?:from|join)\s+"?(\w+)"?(?:\s+as)?\s+(\w+)/g)];
  return new Set(named.filter(([, table = '']) => TABLES.has(table)).map(([, , alias = '']) => alias));
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

async function postgresPlans({ database }: Store): Promise<Explain> {
  const [row] = await database.query<{ name: string }>('select current_database() as name', []);
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${row?.name}`;
  // PostgreSQL scans a small table fully despite its index, unless scans are off.
  const connection = postgres(url.href, { max: 1, connection: { enable_seqscan: 'off', enable_bitmapscan: 'off' } });
  onTestFinished(() => connection.end());
  return async (sql, params) => {
    const [explained] = await connection.unsafe(`explain (format json) ${sql}`, params as Value[]);
    const plans = (explained?.['QUERY PLAN'] ?? []) as { Plan: PlanNode }[];
    return plans
      .flatMap(({ Plan }) => nodesOf(Plan))
      .filter((node) => TABLES.has(node['Relation Name'] ?? ''))
      .map((node) => `${node['Node Type']} on ${node['Relation Name']} by ${node['Index Cond'] ?? 'nothing'}`)
      .filter((plan) => plan.endsWith('by nothing') || isWholeRepository(plan));
  };
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}
