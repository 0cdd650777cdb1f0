// A minimal in-memory model of two repositories: every record with its versions, names and references. It finds
// references and changes by full scans.
import type { RecordChange, ReferenceItem } from '@cairn/protocol/read';

export interface ModelRef {
  readonly role: string;
  readonly path: string;
  readonly target: ModelRecord;
  readonly version: number;
  /** The original text, for a target in another repository. */
  readonly text: string;
}

interface ModelVersion {
  readonly seq: number;
  readonly active: boolean;
  readonly refs: readonly ModelRef[];
}

export class ModelRecord {
  readonly repo: ModelRepo;
  readonly kind: RecordChange['kind'];
  readonly shape: ModelRecord | undefined;
  readonly about: ModelRef | undefined;
  readonly names: { seq: number; local: string }[];
  readonly versions: ModelVersion[] = [];
  durableId = '';

  constructor(repo: ModelRepo, made: Pick<ModelRecord, 'kind' | 'shape' | 'about'> & { local: string }) {
    this.repo = repo;
    this.kind = made.kind;
    this.shape = made.shape;
    this.about = made.about;
    this.names = [{ seq: repo.nextSeq, local: made.local }];
  }

  localAt(seq: number): string {
    return this.names.findLast((one) => one.seq <= seq)?.local ?? '';
  }

  nameAt(seq: number): string {
    return this.shape === undefined ? this.localAt(seq) : `${this.shape.localAt(seq)}/${this.localAt(seq)}`;
  }

  get name(): string {
    return this.nameAt(Number.MAX_SAFE_INTEGER);
  }

  get isActive(): boolean {
    return this.versions.at(-1)?.active ?? false;
  }

  /** Number of versions at the sequence; 0 if the record did not exist yet. */
  versionAt(seq: number): number {
    return this.versions.findLastIndex((one) => one.seq <= seq) + 1;
  }

  activeAt(seq: number): boolean {
    return this.versions[this.versionAt(seq) - 1]?.active ?? false;
  }

  refsAt(seq: number): ModelRef[] {
    const inData = this.versions[this.versionAt(seq) - 1]?.refs ?? [];
    const sorted = [...inData].sort((a, b) => (a.path < b.path ? -1 : 1));
    return this.versionAt(seq) === 0 || this.about === undefined ? sorted : [this.about, ...sorted];
  }

  changedBy(seq: number): number {
    const seqs = [...this.versions, ...this.names].map((one) => one.seq);
    return Math.max(0, ...seqs.filter((one) => one <= seq));
  }
}

export class ModelRepo {
  readonly address: { readonly orgName: string; readonly repoName: string };
  readonly records: ModelRecord[] = [];
  seq = 0;

  constructor(address: ModelRepo['address']) {
    this.address = address;
  }

  get nextSeq(): number {
    return this.seq + 1;
  }

  canonical(name: string): string {
    return `wh:${this.address.orgName}/${this.address.repoName}/${name}`;
  }
}

const byText = (a: string, b: string) => (a < b ? -1 : Number(a > b));

function outgoing(record: ModelRecord, seq: number): ReferenceItem[] {
  return record.refsAt(seq).map(({ role, path, target, version, text }) => ({
    direction: 'out',
    role,
    path,
    wref: target.repo === record.repo ? `${target.nameAt(seq)}@v${version}` : text,
    durableId: target.durableId,
    pinnedVersion: version,
  }));
}

function incoming(record: ModelRecord, from: ModelRepo, seq: number): ReferenceItem[] {
  const found = from.records.flatMap((one) => {
    const wref = `${one.nameAt(seq)}@v${one.versionAt(seq)}`;
    const refs = one.activeAt(seq) ? one.refsAt(seq).filter(({ target }) => target === record) : [];
    return refs.map(
      ({ role, path, version }): ReferenceItem => ({
        direction: 'in',
        role,
        path,
        wref: from === record.repo ? wref : from.canonical(wref),
        durableId: one.durableId,
        pinnedVersion: version,
      }),
    );
  });
  return found.sort((a, b) => byText(a.role, b.role) || byText(a.durableId, b.durableId) || byText(a.path, b.path));
}

export function referencesOf(record: ModelRecord, seq: number): ReferenceItem[] {
  return [...outgoing(record, seq), ...incoming(record, record.repo, seq)];
}

export function referencesAcross(record: ModelRecord, other: ModelRepo): ReferenceItem[] {
  return [...referencesOf(record, record.repo.seq), ...incoming(record, other, other.seq)];
}

export function changesIn({ records }: ModelRepo, { since, at }: { since: number; at: number }): RecordChange[] {
  return records
    .flatMap((record) => changeOf(record, since, at) ?? [])
    .sort((a, b) => a.repoSeq - b.repoSeq || byText(a.durableId, b.durableId));
}

function changeOf(record: ModelRecord, since: number, at: number): RecordChange | undefined {
  const [before, version] = [record.versionAt(since), record.versionAt(at)];
  const isMoved = before !== version || record.localAt(since) !== record.localAt(at);
  if (version === 0 || !isMoved) return undefined;
  const isActive = record.activeAt(at);
  const changed = isActive === record.activeAt(since) ? (before === version ? 'renamed' : 'revised') : undefined;
  const isRenamed = before > 0 && record.nameAt(since) !== record.nameAt(at);
  return {
    durableId: record.durableId,
    name: record.nameAt(at),
    kind: record.kind,
    ...(record.shape !== undefined && { shapeName: record.shape.localAt(at) }),
    change: before === 0 ? 'added' : (changed ?? (isActive ? 'restored' : 'retracted')),
    version,
    ...(before > 0 && { versionBefore: before }),
    ...(isRenamed && { nameBefore: record.nameAt(since) }),
    repoSeq: record.changedBy(at),
  };
}
