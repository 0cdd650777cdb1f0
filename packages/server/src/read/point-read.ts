// Reads one record by its present name: with the cached caller and repository, and one statement for the rest.

import { followOf, grantOnce, rememberRepository } from '../access/access.ts';
import { shownAuthor } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import type { Principal } from '../access/principal.ts';
import type { AccessView } from '../engine/access-epoch.ts';
import type { Dialect, Engine } from '../engine/database.ts';
import { foundAt, type RepositoryAddress, type RepositoryRow } from '../repository/repository.sql.ts';
import { SEQUENCE_COLUMNS, type SequenceRow } from '../repository/repository-sequence.sql.ts';
import { requireNamed } from './record.sql.ts';
import {
  COMMIT_JOIN,
  type ItemRow,
  type RenderedRecord,
  renderAtOnce,
  renderRecords,
  versionColumns,
} from './record-item.sql.ts';

/** Names with a single spelling. All others are read in steps. */
const PLAIN_NAME = /^([A-Za-z][\w-]{0,99})\/([\w-]{1,200})$/;

/** Longer data is measured before it is read. */
const DATA_CHARACTERS_MAX = 65_536;

// SQLite keeps the order of cross joins, from the shape to the name. Nothing is stored beyond the present sequence,
// except during an import, and then the row says so.
const pointSql = ({ hex }: Dialect, epoch: { column: string; join: string }) => `select repo_sequence.repo_id,
  ${SEQUENCE_COLUMNS}, ${epoch.column} as epoch, v.record_id, r.kind, r.about,
  r.about_wref, r.created_seq, r.shape_id, r.name, r.name as name_now, $2 as shape_name, $2 as shape_name_now,
  ${versionColumns(hex('v.data_hash'))}
  from repo_sequence ${epoch.join} cross join name shape_name cross join name cross join record r
  join version v on v.repo_id = $1 and v.record_id = r.record_id and v.version = r.version ${COMMIT_JOIN}
  where repo_sequence.repo_id = $1
    and shape_name.repo_id = $1 and shape_name.shape_id = 0 and shape_name.name = $2 and shape_name.to_seq is null
    and name.repo_id = $1 and name.shape_id = shape_name.record_id and name.name = $3 and name.to_seq is null
    and r.repo_id = $1 and r.record_id = name.record_id and r.shape_id = name.shape_id`;

interface Statements {
  readonly alone: string;
  /** Includes the callers' epoch, which tells whether a cached view is still current. */
  readonly withEpoch: string;
}

const statements: Partial<Record<Engine, Statements>> = {};

function statementsOf(dialect: Dialect): Statements {
  statements[dialect.engine] ??= {
    alone: pointSql(dialect, { column: 'cast(null as bigint)', join: '' }),
    withEpoch: pointSql(dialect, {
      column: 'access_epoch.epoch',
      join: 'join access_epoch on access_epoch.id = 1',
    }),
  };
  return statements[dialect.engine] as Statements;
}

interface PointRow extends SequenceRow, ItemRow {
  readonly epoch: number | null;
}

interface Sight extends Pick<SequenceRow, 'repo_seq' | 'renamed_seq' | 'imported_seq'> {
  readonly row: RepositoryRow;
  readonly grant: Grant;
}

interface Sights {
  readonly view: AccessView;
  readonly byAddress: Map<string, Sight>;
}

const SIGHTS_MAX = 1_000;
const sights = new WeakMap<Principal, Sights>();

export interface PointRead {
  readonly grant: Grant;
  readonly repoSeq: number;
  readonly record: RenderedRecord;
}

type Perhaps = PointRead | undefined | Promise<PointRead | undefined>;

interface Asked {
  readonly view: AccessView;
  readonly address: RepositoryAddress;
  readonly shapeName: string;
  readonly local: string;
  readonly sight: Sight | undefined;
}

/** `undefined` unless the case is simple. The general reads then answer. */
export function readPoint(context: Context, address: RepositoryAddress, name: string): Perhaps {
  const { principal, store } = context;
  const [, shapeName, local] = PLAIN_NAME.exec(name) ?? [];
  const view = context.view ?? context.likelyView ?? store.database.views.likely;
  if (shapeName === undefined || local === undefined || view === undefined) return undefined;
  const seen = sights.get(principal);
  const sight = seen?.view === view ? seen.byAddress.get(textOf(address)) : undefined;
  const asked = { view, address, shapeName, local, sight };
  return sight === undefined ? readUnseen(context, asked) : findPoint(context, asked, sight.row);
}

const textOf = ({ orgName, repoName }: RepositoryAddress) => `${orgName}/${repoName}`;

async function readUnseen(context: Context, asked: Asked): Promise<PointRead | undefined> {
  if (followOf(context) !== undefined) return undefined;
  const { principal, store } = context;
  const row = await rememberRepository({ principal, store, view: asked.view }, asked.address);
  return row && (await findPoint(context, asked, row));
}

function findPoint(context: Context, asked: Asked, repository: RepositoryRow): Perhaps {
  const { database } = context.store;
  const { alone, withEpoch } = statementsOf(database.dialect);
  const sql = context.view === undefined ? withEpoch : alone;
  const rows = database.queryAtOnce<PointRow>(sql, [repository.id, asked.shapeName, asked.local]);
  if (rows instanceof Promise) return rows.then(([row]) => toPoint(context, asked, { repository, row }));
  return toPoint(context, asked, { repository, row: rows[0] });
}

interface Found {
  readonly repository: RepositoryRow;
  readonly row: PointRow | undefined;
}

function toPoint(context: Context, asked: Asked, { repository, row }: Found): Perhaps {
  const { view, shapeName, local } = asked;
  if (row === undefined || row.importing !== null || row.active !== 1) return undefined;
  if (context.view === undefined && row.epoch !== view.epoch) return undefined;
  const grant = isPresent(asked.sight, row) ? asked.sight.grant : look(context.principal, asked, { repository, row });
  if (grant.narrowing !== undefined || row.data.length > DATA_CHARACTERS_MAX) return undefined;
  if (row.name !== local) requireNamed({ name: { shapeName, local }, version: undefined }, row);
  const record = renderAtOnce(grant, row);
  return record === undefined ? renderLater(context, grant, row) : pointOf(grant, row, record);
}

function isPresent(sight: Sight | undefined, { repo_seq, renamed_seq, imported_seq }: SequenceRow): sight is Sight {
  return sight?.repo_seq === repo_seq && sight.renamed_seq === renamed_seq && sight.imported_seq === imported_seq;
}

function look(
  principal: Principal,
  { view, address }: Asked,
  { repository, row }: { repository: RepositoryRow; row: PointRow },
): Grant {
  const { repo_id, repo_seq, renamed_seq, imported_seq, importing } = row;
  const sequence = { repo_id, repo_seq, renamed_seq, imported_seq, importing };
  const grant = grantOnce(principal, foundAt(repository, sequence), 'repo:read');
  let own = sights.get(principal);
  if (own?.view !== view || own.byAddress.size >= SIGHTS_MAX) {
    own = { view, byAddress: new Map() };
    sights.set(principal, own);
  }
  own.byAddress.set(textOf(address), { row: repository, grant, repo_seq, renamed_seq, imported_seq });
  return grant;
}

async function renderLater(context: Context, grant: Grant, row: PointRow): Promise<PointRead | undefined> {
  const request = { rows: [row], atRepoSeq: row.repo_seq, follow: undefined };
  const { records } = await renderRecords(context.store.database, grant, request);
  const [record] = records;
  return record && pointOf(grant, row, record);
}

function pointOf(grant: Grant, { repo_seq: repoSeq }: PointRow, record: RenderedRecord): PointRead {
  // Members see every author unredacted.
  if (grant.roles.organization !== null) return { grant, repoSeq, record };
  return { grant, repoSeq, record: { ...record, origin: shownAuthor(grant, record.origin) } };
}
