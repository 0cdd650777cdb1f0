// A model of one repository, built from what was sent and acknowledged, without reading it. One author alone writes
// each record, one change at a time. So the model knows the version numbers before the server reports them.
import type { Findings } from './finding.ts';

export interface Version {
  /** Unique in the repository, except that a retraction repeats the data of the version before it. */
  readonly n: number;
  readonly active: boolean;
  /** Commit sequence, lower bound (exclusive). */
  after: number;
  /** Commit sequence, upper bound (inclusive). Infinite until it is known. */
  upTo: number;
}

export interface KnownRecord {
  readonly key: string;
  readonly kind: 'thing' | 'assertion';
  /** All names in order, the current one last. */
  readonly names: string[];
  readonly versions: Version[];
  readonly about?: KnownRecord;
  durableId?: string;
}

/** A new version, or only a new name. */
export interface Change {
  readonly record: KnownRecord;
  readonly version?: Version;
}

/** A commit or a stream line that is in progress or acknowledged. */
export interface Sent {
  readonly message: string;
  readonly changes: readonly Change[];
  readonly operationCount: number;
  /** The acknowledged head at the time of sending. The commit's sequence must be higher. */
  readonly after: number;
  repoSeq?: number;
  loggedAt?: number;
}

export interface Acknowledged {
  readonly record: KnownRecord;
  readonly after: number;
  readonly upTo: number;
}

/** Limit of the acknowledgments kept for comparisons of recent changes. */
const RECENT_MAX = 20_000;

export class RepositoryModel {
  readonly orgName: string;
  readonly repoName: string;
  readonly records = new Map<string, KnownRecord>();
  readonly list: KnownRecord[] = [];
  readonly collections = new Set<string>();
  readonly commits = new Map<string, Sent>();
  head = 0;
  acknowledgedOperations = 0;
  acknowledgedCommits = 0;
  readonly #findings: Findings;
  readonly #inFlight = new Set<Sent>();
  readonly #recent: Acknowledged[] = [];
  readonly #listeners: ((acknowledged: Acknowledged) => void)[] = [];

  constructor({ orgName, repoName, findings }: { orgName: string; repoName: string; findings: Findings }) {
    this.orgName = orgName;
    this.repoName = repoName;
    this.#findings = findings;
  }

  get name(): string {
    return `${this.orgName}/${this.repoName}`;
  }

  addRecord(record: KnownRecord): KnownRecord {
    this.records.set(record.key, record);
    this.list.push(record);
    return record;
  }

  /** Called before sending. A stream line has no message. */
  send({ message, changes, operationCount }: Pick<Sent, 'message' | 'changes' | 'operationCount'>): Sent {
    const sent: Sent = { message, changes, operationCount, after: this.head };
    for (const { version } of changes) if (version !== undefined) version.after = this.head;
    if (message !== '') this.commits.set(message, sent);
    this.#inFlight.add(sent);
    return sent;
  }

  /** A commit has exactly one sequence. */
  acknowledgeCommit(sent: Sent, repoSeq: number): void {
    if (repoSeq <= sent.after) {
      const said = `was told ${repoSeq}, though ${sent.after} had been acknowledged before it was sent`;
      this.#findings.add('sequence', `${this.name}: commit ${sent.message} ${said}`);
    }
    if (sent.loggedAt !== undefined && sent.loggedAt !== repoSeq) {
      this.#findings.add('sequence', `${this.name}: ${sent.message} was told ${repoSeq} and is at ${sent.loggedAt}`);
    }
    sent.repoSeq = repoSeq;
    this.acknowledgedCommits += 1;
    this.#settle(sent, { after: repoSeq - 1, upTo: repoSeq });
  }

  /** A line has only bounds: the head when it was sent, and the sequence at which it was durable. */
  acknowledgeLine(sent: Sent, upTo: number): void {
    this.#settle(sent, { after: sent.after, upTo });
  }

  #settle(sent: Sent, { after, upTo }: { after: number; upTo: number }): void {
    this.#inFlight.delete(sent);
    this.head = Math.max(this.head, upTo);
    this.acknowledgedOperations += sent.operationCount;
    for (const { record, version } of sent.changes) {
      if (version !== undefined) Object.assign(version, { after, upTo });
      this.#tell({ record, after, upTo });
    }
  }

  #tell(acknowledged: Acknowledged): void {
    this.#recent.push(acknowledged);
    if (this.#recent.length > 2 * RECENT_MAX) this.#recent.splice(0, RECENT_MAX);
    for (const listener of this.#listeners) listener(acknowledged);
  }

  onAcknowledged(listener: (acknowledged: Acknowledged) => void): void {
    this.#listeners.push(listener);
  }

  get settledThrough(): number {
    let through = this.head;
    for (const { after } of this.#inFlight) through = Math.min(through, after);
    return through;
  }

  get inFlightCount(): number {
    return this.#inFlight.size;
  }

  /** Records that certainly changed between the two sequences, as far as they are still known. */
  changedBetween(sinceSeq: number, throughSeq: number): KnownRecord[] {
    const within = this.#recent.filter(({ after, upTo }) => after >= sinceSeq && upTo <= throughSeq);
    return [...new Set(within.map(({ record }) => record))];
  }
}
