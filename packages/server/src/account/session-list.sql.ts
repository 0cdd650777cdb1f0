// The sessions of an account that have not ended, as their owner sees them.
import type { SessionKind } from '@cairn/protocol/session';
import type { Reader } from '../engine/database.ts';

export interface ListedSession {
  readonly id: string;
  readonly kind: SessionKind;
  readonly clientId: string | undefined;
  readonly clientName: string | undefined;
  readonly address: string | undefined;
  readonly agent: string | undefined;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface SessionListPage {
  /** The last one of the page before. */
  readonly after?: { readonly createdAt: number; readonly id: string } | undefined;
  readonly limit: number;
}

interface ListedRow {
  readonly id: string;
  readonly kind: SessionKind;
  readonly client_id: string | null;
  readonly client_name: string | null;
  readonly address: string | null;
  readonly agent: string | null;
  readonly created_at: number;
  readonly expires_at: number;
}

const COLUMNS = 'id, kind, client_id, client_name, address, agent, created_at, expires_at';

/** The newest first. */
export async function listSessions(
  reader: Reader,
  { accountId, now }: { accountId: number; now: number },
  { after, limit }: SessionListPage,
): Promise<ListedSession[]> {
  const rows = await reader.query<ListedRow>(
    `select ${COLUMNS} from session where account_id = $1 and ended_at is null and expires_at > $2
     and (created_at < $3 or (created_at = $3 and id > $4)) order by created_at desc, id limit $5`,
    [accountId, now, after?.createdAt ?? Number.MAX_SAFE_INTEGER, after?.id ?? '', limit],
  );
  return rows.map(toListed);
}

export async function findSession(
  reader: Reader,
  { id, accountId, now }: { id: string; accountId: number; now: number },
): Promise<ListedSession | undefined> {
  const [row] = await reader.query<ListedRow>(
    `select ${COLUMNS} from session where id = $1 and account_id = $2 and ended_at is null and expires_at > $3`,
    [id, accountId, now],
  );
  return row && toListed(row);
}

function toListed(row: ListedRow): ListedSession {
  return {
    id: row.id,
    kind: row.kind,
    clientId: row.client_id ?? undefined,
    clientName: row.client_name ?? undefined,
    address: row.address ?? undefined,
    agent: row.agent ?? undefined,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
