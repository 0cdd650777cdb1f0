// The queue of background work: keys and due times in one table. A claim is a lease, which the holder renews; if its
// node dies, another node takes over when the lease ends.
import type { Reader, Transaction } from './database.ts';

type WorkKind = 'export' | 'delivery' | 'outbox';

interface WorkAddress {
  readonly repoId: number;
  readonly kind: WorkKind;
  readonly key: string;
}

/** The claim is a secret of the holder, so that nobody else can renew or finish the work. */
export interface ClaimedWork extends WorkAddress {
  readonly claim: string;
}

export async function enqueueWork(
  tx: Transaction,
  { repoId, kind, key, owner, dueAt }: WorkAddress & { owner: string; dueAt: number },
): Promise<void> {
  await tx.query('insert into work (repo_id, kind, work_key, owner, due_at) values ($1, $2, $3, $4, $5)', [
    repoId,
    kind,
    key,
    owner,
    dueAt,
  ]);
}

export async function countWork(reader: Reader, { kind, owner }: { kind: WorkKind; owner: string }): Promise<number> {
  const sql = 'select count(*) as n from work where kind = $1 and owner = $2';
  const [row] = await reader.query<{ n: number }>(sql, [kind, owner]);
  return row?.n ?? 0;
}

export async function findHeldWork(
  reader: Reader,
  { repoId, kind, now }: Omit<WorkAddress, 'key'> & { now: number },
): Promise<Set<string>> {
  const sql = `select work_key from work where repo_id = $1 and kind = $2 and ${held('$3')}`;
  const rows = await reader.query<{ work_key: string }>(sql, [repoId, kind, now]);
  return new Set(rows.map(({ work_key }) => work_key));
}

const held = (now: string) => `claim is not null and due_at > ${now}`;

export interface WorkWish {
  readonly kind: WorkKind;
  readonly claim: string;
  readonly now: number;
  readonly leaseMs: number;
  readonly perRepository?: number | undefined;
}

type DueWork = Pick<WorkAddress, 'repoId' | 'key'>;

export async function claimWork(tx: Transaction, wish: WorkWish): Promise<ClaimedWork | undefined> {
  const { kind, claim, now, leaseMs, perRepository } = wish;
  const due =
    perRepository === undefined ? await findDue(tx, wish) : await findDueWithin(tx, { ...wish, perRepository });
  if (due === undefined) return undefined;
  const { repoId, key } = due;
  const [taken] = await tx.query(
    `update work set claim = $4, due_at = $5 where repo_id = $1 and kind = $2 and work_key = $3 and due_at <= $6
     returning work_key`,
    [repoId, kind, key, claim, now + leaseMs, now],
  );
  return taken && { repoId, kind, key, claim };
}

async function findDue(tx: Transaction, { kind, now }: WorkWish): Promise<DueWork | undefined> {
  const lock = tx.forUpdate === '' ? '' : `${tx.forUpdate} skip locked`;
  const [row] = await tx.query<DueWork>(
    `select repo_id as "repoId", work_key as "key" from work where kind = $1 and due_at <= $2 order by due_at limit 1 ${lock}`,
    [kind, now],
  );
  return row;
}

const isBelow = (repoId: string) =>
  `(select count(*) from work h where h.repo_id = ${repoId} and h.kind = $1 and ${held('$2')}) < $3`;

/** Counts again while all work of the repository is locked, so that two nodes cannot both take the last slot. */
async function findDueWithin(
  tx: Transaction,
  { kind, now, perRepository }: WorkWish & { perRepository: number },
): Promise<DueWork | undefined> {
  const [found] = await tx.query<DueWork>(
    `select w.repo_id as "repoId", w.work_key as "key" from work w where w.kind = $1 and w.due_at <= $2 and ${isBelow('w.repo_id')}
     order by w.due_at limit 1`,
    [kind, now, perRepository],
  );
  if (found === undefined || tx.forUpdate === '') return found;
  const { repoId } = found;
  const lock = `select work_key from work where repo_id = $1 and kind = $2 order by work_key ${tx.forUpdate}`;
  await tx.query(lock, [repoId, kind]);
  const [room] = await tx.query(`select 1 as one where ${isBelow('$4')}`, [kind, now, perRepository, repoId]);
  return room && found;
}

export async function renewWork(tx: Transaction, work: ClaimedWork & { until: number }): Promise<boolean> {
  return await changeHeld(tx, 'update work set due_at = $5', work, work.until);
}

export async function releaseWork(tx: Transaction, work: ClaimedWork & { dueAt: number }): Promise<boolean> {
  return await changeHeld(tx, 'update work set claim = null, due_at = $5', work, work.dueAt);
}

export async function finishWork(tx: Transaction, work: ClaimedWork): Promise<boolean> {
  return await changeHeld(tx, 'delete from work', work);
}

/** Returns false if the claim was lost. */
async function changeHeld(
  tx: Transaction,
  change: string,
  { repoId, kind, key, claim }: ClaimedWork,
  ...dueAt: readonly number[]
): Promise<boolean> {
  const sql = `${change} where repo_id = $1 and kind = $2 and work_key = $3 and claim = $4 returning work_key`;
  return (await tx.query(sql, [repoId, kind, key, claim, ...dueAt])).length > 0;
}
