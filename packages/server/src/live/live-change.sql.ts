// The names in live events. Changes are read once for all viewers, until each has as many names as it takes.

import { type Identity, parseIdentity, parseReferences } from '@cairn/model/wref';
import type { SystemGrant } from '../access/grant.rule.ts';
import { compileNarrowing, type IsShown, type Narrowing } from '../access/narrowing.rule.ts';
import { roleColumns } from '../access/role.sql.ts';
import type { BulkStatement, Reader } from '../engine/database.ts';
import { giveTurn, STEP_ROWS } from '../engine/read-bounds.ts';
import {
  CHANGE_COLUMNS,
  type ChangeRange,
  type ChangeRow,
  changeSteps,
  findChangesSql,
  isDifferent,
  lastSeqOf,
} from '../read/change-read.sql.ts';
import { findNamed, type NamedRow, toNamed } from '../read/hidden-target.sql.ts';
import { fullName } from '../read/target-name.sql.ts';
import {
  type FoundRepository,
  REPOSITORY_COLUMNS,
  type RepositoryRow,
  selectRepository,
  toFound,
} from '../repository/repository.sql.ts';
import { bulkRepositories, JOIN_SEQUENCE } from '../repository/repository-sequence.sql.ts';

/** With more names than this, clients reload everything. */
export const NAMES_MAX = 1_000;

export interface Affected {
  readonly shapes: ReadonlySet<string>;
  readonly records: ReadonlySet<string>;
  readonly targets: ReadonlySet<string>;
  /** Targets in other repositories, by `<repository> <record>`. */
  readonly elsewhere: ReadonlyMap<string, Identity>;
  readonly repoSeq: number;
  readonly truncated: boolean;
}

interface AffectedRequest {
  readonly range: ChangeRange;
  readonly acrossImport: boolean;
  readonly narrowings: readonly (Narrowing | undefined)[];
}

interface LiveChangeRow extends ChangeRow {
  readonly about: string | null;
  readonly members: string | null;
  readonly members_before: string | null;
}

const FIND_LIVE_CHANGES: BulkStatement = findChangesSql(`${CHANGE_COLUMNS}, r.about,
  case when r.kind = 'collection' then v.refs end as members,
  case when r.kind = 'collection' then b.refs end as members_before`);

export async function findAffected(
  reader: Reader,
  grant: SystemGrant,
  { range, acrossImport, narrowings }: AffectedRequest,
): Promise<(Affected | undefined)[]> {
  const views = narrowings.map((narrowing) => new View(compileNarrowing(narrowing), { range, acrossImport }));
  const walk = { range, limit: NAMES_MAX, statement: FIND_LIVE_CHANGES };
  for await (const rows of changeSteps<LiveChangeRow>(reader, grant, walk)) {
    const changed = acrossImport ? rows : rows.filter(isDifferent);
    const told = views.filter((view) => !view.isFull).map((view) => ({ view, targets: view.add(changed) }));
    await addTargets(reader, grant, { range, told });
    if (views.every(({ isFull }) => isFull)) break;
    await giveTurn();
  }
  return views.map((view, index) => view.affected(narrowings[index] !== undefined));
}

async function addTargets(
  reader: Reader,
  { repoId }: SystemGrant,
  { range, told }: { range: ChangeRange; told: readonly { view: View; targets: readonly Identity[] }[] },
): Promise<void> {
  const local = told.map(({ view, targets }) => ({ view, ids: idsIn(targets, repoId) }));
  const ids = [...new Set(local.flatMap((one) => [...one.ids]))];
  for (let at = 0; at < ids.length; at += STEP_ROWS) {
    if (at > 0) await giveTurn();
    const some = ids.slice(at, at + STEP_ROWS);
    const named = await findNamed(reader, { repoId, atRepoSeq: range.atRepoSeq, ids: some });
    for (const one of local) {
      one.view.addTargets([...named].flatMap(([id, row]) => (one.ids.has(id) ? [row] : [])));
    }
  }
  for (const { view, targets } of told) view.addElsewhere(targets.filter((target) => target.repoId !== repoId));
}

function idsIn(targets: readonly Identity[], repoId: number): Set<number> {
  return new Set(targets.filter((target) => target.repoId === repoId).map(({ recordId }) => recordId));
}

class View {
  isFull = false;
  readonly #isShown: IsShown;
  readonly #stretch: Pick<AffectedRequest, 'range' | 'acrossImport'>;
  readonly #shapes = new Set<string>();
  readonly #records = new Set<string>();
  readonly #targets = new Set<string>();
  readonly #elsewhere = new Map<string, Identity>();
  #repoSeq = 0;

  constructor(isShown: IsShown, stretch: Pick<AffectedRequest, 'range' | 'acrossImport'>) {
    this.#isShown = isShown;
    this.#stretch = stretch;
  }

  add(rows: readonly LiveChangeRow[]): Identity[] {
    const targets: Identity[] = [];
    for (const row of rows) {
      if (this.isFull) break;
      if (!this.#isShown(toNamed(row))) continue;
      const before = beforeOf(row);
      const wasShown = row.version_before !== null && this.#isShown(toNamed(before));
      this.#repoSeq = Math.max(this.#repoSeq, lastSeqOf(row));
      for (const state of wasShown ? [row, before] : [row]) {
        this.#put(this.#records, fullName(state));
        this.#put(this.#shapes, state.shape_name ?? state.name);
      }
      targets.push(...targetsOf(row, wasShown));
    }
    return targets;
  }

  addTargets(rows: readonly NamedRow[]): void {
    for (const row of rows) if (this.#isShown(toNamed(row))) this.#put(this.#targets, fullName(row));
  }

  addElsewhere(targets: readonly Identity[]): void {
    for (const target of targets) {
      if (this.#elsewhere.size < NAMES_MAX) this.#elsewhere.set(`${target.repoId} ${target.recordId}`, target);
      else this.isFull = true;
    }
  }

  affected(isNarrowed: boolean): Affected | undefined {
    const { range, acrossImport } = this.#stretch;
    // Renames by an import are unknown, so callers who see everything must reload.
    if (this.#records.size === 0 && (isNarrowed || !acrossImport)) return undefined;
    const truncated = this.isFull || acrossImport;
    return {
      shapes: this.#shapes,
      records: this.#records,
      targets: this.#targets,
      elsewhere: this.#elsewhere,
      repoSeq: isNarrowed && !truncated ? this.#repoSeq : range.atRepoSeq,
      truncated,
    };
  }

  #put(names: Set<string>, name: string): void {
    if (names.has(name)) return;
    if (names.size < NAMES_MAX) names.add(name);
    else this.isFull = true;
  }
}

function beforeOf(row: LiveChangeRow): LiveChangeRow {
  return { ...row, name: row.name_before, shape_name: row.shape_name_before };
}

function targetsOf({ about, members, members_before }: LiveChangeRow, wasShown: boolean): Identity[] {
  return [
    ...(about === null ? [] : [parseIdentity(about)]),
    ...parseReferences(members),
    ...(wasShown && members_before !== members ? parseReferences(members_before) : []),
  ];
}

const elsewhereSet = (repo: string) => `select k.ord::int as ord, r.name, s.name as shape_name
  from unnest($1::bigint[], $2::bigint[]) with ordinality as k (repo_id, record_id, ord)
  cross join lateral (select * from record where repo_id = ${repo} and record_id = k.record_id limit 1) as r
  left join lateral (select name from record where repo_id = ${repo} and record_id = r.shape_id limit 1) as s on true`;

const FIND_ELSEWHERE: BulkStatement = {
  each: `select r.name, s.name as shape_name from record r
    left join record s on s.repo_id = $1 and s.record_id = r.shape_id where r.repo_id = $1 and r.record_id = $2`,
  set: elsewhereSet('k.repo_id'),
  shard: { column: 0, set: elsewhereSet('$3') },
};

export async function findNamesElsewhere(
  reader: Reader,
  targets: readonly Identity[],
): Promise<(string | undefined)[]> {
  const rows = targets.map(({ repoId, recordId }) => [repoId, recordId]);
  const names: (string | undefined)[] = targets.map(() => undefined);
  for (const row of await reader.bulk<{ name: string; shape_name: string | null }>(FIND_ELSEWHERE, {
    common: [],
    rows,
  }))
    names[row.ord] = fullName(row);
  return names;
}

const FIND_FOR_EACH: BulkStatement = {
  each: `${selectRepository('$2')} where repository.id = $1 and repository.deleted_at is null`,
  set: `select k.ord::int as ord, ${REPOSITORY_COLUMNS}, ${roleColumns('k.account_id')}
    from unnest($1::bigint[], $2::bigint[]) with ordinality as k (id, account_id, ord)
    join repository on repository.id = k.id
    join organization on organization.id = repository.organization_id
    ${JOIN_SEQUENCE}
    where repository.deleted_at is null`,
};

export async function findRepositoriesFor(
  reader: Reader,
  sights: readonly { repoId: number; accountId: number }[],
): Promise<(FoundRepository | undefined)[]> {
  const rows = sights.map(({ repoId, accountId }) => [repoId, accountId]);
  const found: (FoundRepository | undefined)[] = sights.map(() => undefined);
  for (const { ord, ...row } of await bulkRepositories<RepositoryRow>(reader, FIND_FOR_EACH, { common: [], rows })) {
    found[ord] = toFound(row);
  }
  return found;
}
