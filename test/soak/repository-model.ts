// What was sent to one repository, and what it has acknowledged: kept beside it, without asking it. Every record is written by
// one author alone, one change after the other, so that its versions are known by their number before the server tells them.
import type { Findings } from './finding.ts';

export interface Version {
  /** No other version in the repository has it, but that of a retraction, which keeps the data before it. */
  readonly n: number;
  readonly active: boolean;
  /** It was committed after this sequence, */
  after: number;
  /** and at the latest at this one; infinite until somebody has said so. */
  upTo: number;
}

export interface KnownRecord {
  /** Stands in its data, whatever its name is. */
  readonly key: string;
  readonly kind: 'thing' | 'assertion';
  /** All that it was ever called, the last one last. */
  readonly names: string[];
  readonly versions: Version[];
  /** What an assertion is about. */
  readonly about?: KnownRecord;
  durableId?: string;
}

/** A version that is added, or only another name. */
export interface Change {
  readonly record: KnownRecord;
  readonly version?: Version;
}

/** A commit, or a line of a stream, that is under way or was acknowledged. */
export interface Sent {
  readonly message: string;
  readonly changes: readonly Change[];
  readonly operationCount: number;
  /** What had been acknowledged before it was sent: its own sequence is higher. */
  readonly after: number;
  /** What the answer said. */
  repoSeq?: number;
  /** Where the log has it. */
  loggedAt?: number;
}

export interface Acknowledged {
  readonly record: KnownRecord;
  readonly after: number;
  readonly upTo: number;
}

/** How many of the last acknowledgements are kept for whoever compares what has changed lately. */
const RECENT_MAX = 20_000;

export class RepositoryModel {
  readonly orgName: string;
  readonly repoName: string;
  readonly records = new Map<string, KnownRecord>();
  /** The same, to pick from. */
  readonly list: KnownRecord[] = [];
  /** Names of collections that were sent. */
  readonly collections = new Set<string>();
  /** By message, which no two have in common. */
  readonly commits = new Map<string, Sent>();
  /** The highest sequence that was acknowledged. */
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

  /** Before it is sent. A line of a stream has no message of its own. */
  send({ message, changes, operationCount }: Pick<Sent, 'message' | 'changes' | 'operationCount'>): Sent {
    const sent: Sent = { message, changes, operationCount, after: this.head };
    for (const { version } of changes) if (version !== undefined) version.after = this.head;
    if (message !== '') this.commits.set(message, sent);
    this.#inFlight.add(sent);
    return sent;
  }

  /** A commit stands at exactly one sequence. */
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

  /** Of a line it is known only after which sequence it was sent, and at which it was durable. */
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

  /** Up to here every commit has been acknowledged: what comes later is told of later ones. */
  get settledThrough(): number {
    let through = this.head;
    for (const { after } of this.#inFlight) through = Math.min(through, after);
    return through;
  }

  get inFlightCount(): number {
    return this.#inFlight.size;
  }

  /** What surely changed after one sequence and up to another, as far as it is still known. */
  changedBetween(sinceSeq: number, throughSeq: number): KnownRecord[] {
    const within = this.#recent.filter(({ after, upTo }) => after >= sinceSeq && upTo <= throughSeq);
    return [...new Set(within.map(({ record }) => record))];
  }
}
