// What one request reads, and what it is answered: a bare server does the same again.
import { pino } from 'pino';
import { createOutbound } from '../packages/server/src/action/delivery/client.ts';
import { DeliveryMeter } from '../packages/server/src/action/delivery/delivery-verdict.ts';
import { createApp } from '../packages/server/src/app.ts';
import { blobLocation, type Config, docsFolder, webFolder } from '../packages/server/src/config.ts';
import type { BulkRows, BulkStatement, Engine, Reader, Value } from '../packages/server/src/engine/database.ts';
import { columnsOf } from '../packages/server/src/engine/postgres/postgres.ts';
import { toSqliteParameters } from '../packages/server/src/engine/sqlite/dialect.ts';
import { openBlobStore } from '../packages/server/src/export/blob-store.ts';
import { BodyRoom } from '../packages/server/src/http/body.ts';
import { createMetrics } from '../packages/server/src/http/metrics.ts';
import { createRateLimiter } from '../packages/server/src/http/rate-limit.ts';
import { createTokenUses } from '../packages/server/src/http/token-use.ts';
import { SigningKeys } from '../packages/server/src/keys/signing-keys.ts';
import { createLive } from '../packages/server/src/live/live.ts';
import { deriveKeys, downloadKey } from '../packages/server/src/server.ts';
import type { Store } from '../packages/server/src/store.ts';
import { requestTo } from '../test/support/app-request.ts';

export interface RecordedStatement {
  /** The search index is a file of its own on SQLite, and has connections of its own on PostgreSQL. */
  readonly from: 'records' | 'search';
  readonly sql: string;
  /** It runs once for each. */
  readonly params: readonly (readonly Value[])[];
}

export interface SentRequest {
  readonly path: string;
  /** Sent by POST. */
  readonly json?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface RecordedRequest extends SentRequest {
  readonly statements: readonly RecordedStatement[];
  readonly body: string;
}

export interface RecordingOptions {
  readonly config: Config;
  readonly token: string;
  readonly sent: readonly SentRequest[];
}

export async function recordRequests(
  store: Store,
  { config, token, sent }: RecordingOptions,
): Promise<RecordedRequest[]> {
  const heard = new HeardStore(store);
  const log = pino({ level: 'silent' });
  const limiter = createRateLimiter({ usage: store.usage, limits: config.limits, log });
  const tokenUses = createTokenUses({ usage: store.usage, log });
  const secret = config.secret ?? '';
  const live = createLive(store, { onError: () => {} });
  const request = requestTo(
    createApp({
      store: heard.store,
      blobs: openBlobStore(blobLocation(config), { key: downloadKey(secret), publicUrl: 'http://localhost' }),
      log,
      live,
      metrics: createMetrics({ store, live, meter: new DeliveryMeter() }),
      limiter,
      bodies: new BodyRoom(config.limits),
      tokenUses,
      settings: { ...config, publicUrl: 'http://localhost' },
      keys: deriveKeys(secret),
      signingKeys: new SigningKeys({ reader: store.database, secret }),
      outbound: createOutbound({ allow: [] }),
      webFolder: webFolder(),
      docsFolder: docsFolder(),
      stopping: new AbortController().signal,
    }),
  );
  const requests: RecordedRequest[] = [];
  for (const wanted of sent) {
    const { path, json } = wanted;
    const headers = { ...wanted.headers, authorization: `Bearer ${token}` };
    const send = () => request(path, json === undefined ? { headers } : { headers, method: 'POST', body: json });
    // Once before it is recorded: what a server reads for the first request alone is no part of the others.
    await (await send()).text();
    heard.take();
    const answer = await send();
    const body = await answer.text();
    if (answer.status !== 200) throw new Error(`${path} was answered ${answer.status}: ${body}`);
    requests.push({ ...wanted, body, statements: heard.take() });
  }
  await Promise.all([limiter.close(), tokenUses.close()]);
  return requests;
}

class HeardStore {
  readonly store: Store;
  #heard: RecordedStatement[] = [];

  constructor(store: Store) {
    const { database } = store;
    const hear = (reader: Reader, from: RecordedStatement['from']) => this.#hear(reader, database.engine, from);
    const heard = {
      ...database,
      ...hear(database, 'records'),
      beside: hear(database.beside, 'records'),
      search: hear(database.search, 'search'),
    };
    this.store = { ...store, database: heard };
  }

  take(): RecordedStatement[] {
    const taken = this.#heard;
    this.#heard = [];
    return taken;
  }

  #hear(reader: Reader, engine: Engine, from: RecordedStatement['from']): Reader {
    const note = (sql: string, params: readonly (readonly Value[])[]) =>
      this.#heard.push({ from, sql: engine === 'sqlite' ? toSqliteParameters(sql) : sql, params });
    return {
      query: (sql, params = []) => {
        note(sql, [params]);
        return reader.query(sql, params);
      },
      bulk: (statement, bulk) => {
        if (bulk.rows.length > 0)
          note(...(engine === 'sqlite' ? onSqlite(statement, bulk) : onPostgres(statement, bulk)));
        return reader.bulk(statement, bulk);
      },
    };
  }
}

type Spelt = [sql: string, params: Value[][]];

function onSqlite({ each, many }: BulkStatement, { common, rows }: BulkRows): Spelt {
  if (many === undefined || rows.length < 2) return [each, rows.map((row) => [...common, ...row])];
  return [many, [[...common, JSON.stringify(rows.map(([value]) => value))]]];
}

function onPostgres({ set }: BulkStatement, { common, rows }: BulkRows): Spelt {
  return [set, [[...common, ...columnsOf(rows)]]];
}
