// Finds the primary among several PostgreSQL servers. It asks after each lost connection and every second, because a
// primary may freeze or miss a promotion. A change drops all connections to the old primary.
import { Connection, type SessionOptions } from './connection.ts';
import { ended, noPrimary, tooLate } from './error.ts';
import type { Query } from './transaction.ts';

const CLOCK_MS = '(extract(epoch from clock_timestamp()) * 1000)::float8';
const FRESH_MS = 30_000;
/** A node whose clock differs by less uses its own clock. */
const TOLERANCE_MS = 1_000;

class PostgresClock {
  #aheadMs = 0;
  #measuredAt = Number.NEGATIVE_INFINITY;

  now(): number {
    return Date.now() + this.#aheadMs;
  }

  set(clockMs: number, sentAt: number): void {
    this.#measuredAt = performance.now();
    const aheadMs = Math.round(clockMs - Date.now() + (this.#measuredAt - sentAt) / 2);
    // The threads of a node measure separately. With equal clocks, work that one makes due is due for all at once.
    this.#aheadMs = Math.abs(aheadMs) < TOLERANCE_MS ? 0 : aheadMs;
  }

  async refresh(query: Query): Promise<void> {
    const sentAt = performance.now();
    if (sentAt - this.#measuredAt < FRESH_MS) return;
    const [row] = await query<{ clock: number }>(`select ${CLOCK_MS} as clock`);
    if (row !== undefined) this.set(row.clock, sentAt);
  }
}

const WATCH_EVERY_MS = 1_000;
const ANSWER_WITHIN_MS = 2_000;
const OTHERS_WITHIN_MS = 300;

/** The WAL file name begins with the timeline in hexadecimal. Each promotion starts a timeline with a higher number. */
const TIMELINE = `select case when pg_is_in_recovery() then null
  else substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) end as timeline`;
const GREETING = `select pg_is_in_recovery() as standby, ${CLOCK_MS} as clock`;

type Answer = { readonly url: string } & ({ readonly timeline: number } | { readonly reason: string });

export class Primary {
  readonly clock = new PostgresClock();
  readonly #urls: readonly string[];
  readonly #held = new Set<Connection>();
  readonly #probes = new Map<string, Connection>();
  #current: string | undefined;
  /** Preferred among equal answers: two names may lead to the same server, and a switch would drop all connections. */
  #last: string | undefined;
  #timeline = 0;
  #looking: Promise<string> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(url: string) {
    this.#urls = serverUrls(url);
  }

  async connect(options: SessionOptions = {}): Promise<Connection> {
    const url = await this.#find();
    if (this.#isClosed) throw ended();
    const connection = new Connection({ ...options, url });
    this.#held.add(connection);
    connection.onLost(() => this.#forget(connection));
    try {
      const sentAt = performance.now();
      const [row] = await connection.query<{ standby: boolean; clock: number }>(GREETING);
      if (row?.standby === true) throw noPrimary(`${hostOf(url)} is a standby`);
      if (row !== undefined) this.clock.set(row.clock, sentAt);
    } catch (error) {
      connection.drop();
      throw error;
    }
    this.#watch();
    return connection;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await Promise.all([...this.#held, ...this.#probes.values()].map((connection) => connection.close()));
  }

  async #find(): Promise<string> {
    if (this.#isClosed) throw ended();
    const [only = ''] = this.#urls;
    return this.#urls.length === 1 ? only : (this.#current ?? (await this.#look()));
  }

  #forget(connection: Connection): void {
    this.#held.delete(connection);
    if (connection.url === this.#current) this.#current = undefined;
  }

  #watch(): void {
    if (this.#urls.length === 1 || this.#isClosed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => void this.#lookAgain(), WATCH_EVERY_MS).unref();
  }

  async #lookAgain(): Promise<void> {
    await this.#look().catch(() => {});
    this.#timer = undefined;
    if (this.#held.size > 0) this.#watch();
  }

  #look(): Promise<string> {
    this.#looking ??= this.#choose().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #choose(): Promise<string> {
    const answers = await this.#ask();
    const primaries = answers.filter((answer) => 'timeline' in answer);
    // A server with a lower timeline is a former primary that does not know about the promotion.
    const timeline = Math.max(this.#timeline, ...primaries.map((answer) => answer.timeline));
    const best = primaries.filter((answer) => answer.timeline === timeline).map(({ url }) => url);
    const url = best.find((candidate) => candidate === this.#last) ?? best[0];
    if (url === undefined) throw noPrimary(answers.map(described).join('; '));
    this.#current = url;
    this.#last = url;
    this.#timeline = timeline;
    for (const connection of this.#held) if (connection.url !== url) connection.drop();
    return url;
  }

  #ask(): Promise<Answer[]> {
    const answers: Answer[] = [];
    return new Promise((resolve) => {
      for (const url of this.#urls) {
        void this.#answerOf(url).then((answer) => {
          answers.push(answer);
          if (answers.length === this.#urls.length) resolve(answers);
          else if ('timeline' in answer) setTimeout(() => resolve(answers), OTHERS_WITHIN_MS);
        });
      }
    });
  }

  async #answerOf(url: string): Promise<Answer> {
    const probe = this.#probeOf(url);
    const late = setTimeout(() => probe.drop(tooLate()), ANSWER_WITHIN_MS);
    try {
      const [row] = await probe.query<{ timeline: string | null }>(TIMELINE);
      if (typeof row?.timeline !== 'string') return { url, reason: 'is a standby' };
      return { url, timeline: Number.parseInt(row.timeline, 16) };
    } catch (error) {
      probe.drop();
      return { url, reason: (error as Error).message };
    } finally {
      clearTimeout(late);
    }
  }

  #probeOf(url: string): Connection {
    const present = this.#probes.get(url);
    if (present !== undefined) return present;
    const probe = new Connection({ url });
    this.#probes.set(url, probe);
    probe.onLost(() => this.#probes.delete(url));
    return probe;
  }
}

function described(answer: Answer): string {
  const said = 'reason' in answer ? answer.reason : `was the primary up to timeline ${answer.timeline}`;
  return `${hostOf(answer.url)}: ${said}`;
}

const PARTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s;
const ROLE = 'target_session_attrs';
const ROLES = new Set([null, 'read-write', 'primary']);

export function postgresUrl(text: string): string {
  const urls = serverUrls(text);
  if (urls.length === 0 || !urls.every(isUsable)) {
    throw new Error(
      'takes a URL such as postgres://user@host:5432/name, or postgres://user@one:5432,two:5432/name for a primary and its standbys',
    );
  }
  if (!ROLES.has(roleIn(text)))
    throw new Error(`takes a URL with ${ROLE}=read-write or without ${ROLE}, because the server writes`);
  return text;
}

export function serverUrls(text: string): string[] {
  const [, before = '', hosts, after = ''] = PARTS.exec(text) ?? [];
  return hosts?.split(',').map((host) => withoutRole(before + host + after)) ?? [];
}

export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? '';
}

// The driver misreads this parameter: it rejects read-only connections and takes a standby for a primary.
function withoutRole(text: string): string {
  const url = URL.parse(text);
  if (url === null || !url.searchParams.has(ROLE)) return text;
  url.searchParams.delete(ROLE);
  return url.href;
}

function roleIn(text: string): string | null {
  const [query = ''] = /\?[^#]*/.exec(text) ?? [];
  return new URLSearchParams(query).get(ROLE);
}

// The driver decodes user and password, and fails on a stray % with an unclear message.
function isUsable(text: string): boolean {
  const url = URL.parse(text);
  if (url === null) return false;
  try {
    decodeURIComponent(url.username + url.password);
    return true;
  } catch {
    return false;
  }
}
