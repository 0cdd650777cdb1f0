// References: the text in data names the record that the identity beside it means, by the name of that moment.
import { valueAt } from '../../model/json-value.ts';
import type { Identity } from '../../model/reference.ts';
import { isSooner, type Moment, momentOf } from './moment.ts';
import type { NameHistory } from './name.ts';
import {
  type CommitStretch,
  identityIn,
  isPurged,
  keyOf,
  type NamedRecords,
  parsed,
  type RecordRow,
  type RecordStretch,
  referencesOf,
  type VersionRow,
} from './row.ts';
import { wrefPathsIn } from './wref-field.ts';

export function referenceDifferences(stretch: RecordStretch, names: NameHistory): string[] {
  const check = new ReferenceCheck(stretch, names);
  return stretch.own.flatMap((record) => [
    ...(stretch.versions.get(record.record_id) ?? [])
      .filter(({ from_seq }) => from_seq > stretch.importedSeq)
      .flatMap((version) => check.ofVersion(record, version)),
    ...(record.created_seq > stretch.importedSeq ? check.ofAbout(record) : []),
  ]);
}

export function committerDifferences(stretch: CommitStretch, names: NameHistory): string[] {
  const check = new WrefCheck(stretch, names);
  const own = stretch.commits.filter(({ repo_seq }) => repo_seq > stretch.importedSeq);
  return own.flatMap(({ committer, committer_identity, repo_seq }) => {
    const identity = identityIn(committer_identity);
    if (identity === undefined)
      return committer_identity === null ? [] : [`the committer of ${repo_seq} is no identity`];
    const written = { text: committer, identity };
    const found = check.of(written, { by: 0, moment: { seq: repo_seq, op: Number.POSITIVE_INFINITY } });
    return found.map((difference) => `the committer of ${repo_seq}: ${difference}`);
  });
}

interface WrittenReference {
  readonly text: unknown;
  readonly identity: Identity;
}

/** Who wrote a reference, and when. */
interface Writing {
  readonly by: number;
  readonly moment: Moment;
}

const CANONICAL = /^wh:[a-z0-9-]+\/[A-Za-z0-9._-]+\/[A-Za-z][A-Za-z0-9_.-]*(?:\/[^@\s]+)?@v([1-9][0-9]*)$/;

/** Of one reference: that its text names whom its identity means. */
class WrefCheck {
  readonly #rows: NamedRecords;
  readonly #names: NameHistory;

  constructor(rows: NamedRecords, names: NameHistory) {
    this.#rows = rows;
    this.#names = names;
  }

  of({ text, identity }: WrittenReference, writing: Writing): string[] {
    return identity.repoId === this.#rows.repoId
      ? this.#within(text, identity, writing)
      : this.#elsewhere(text, identity);
  }

  /** Whether an export told of the record, which has few of its versions. */
  #wasLeftOut(recordId: number): boolean {
    const record = this.#rows.records.get(recordId);
    return record !== undefined && record.created_seq <= this.#rows.importedSeq;
  }

  #within(text: unknown, { recordId, version }: Identity, { by, moment }: Writing): string[] {
    const made = this.#rows.moments.get(keyOf(recordId, version));
    if (made === undefined) return this.#wasLeftOut(recordId) ? [] : [`record ${recordId} has no version ${version}`];
    // What an operation makes on its way, a built-in shape, it may refer to; itself it may not.
    const wasThere = isSooner(made, moment) || (recordId !== by && !isSooner(moment, made));
    if (!wasThere) return [`record ${recordId} had no version ${version} yet`];
    const named = `${this.#names.fullNameAt(recordId, moment)}@v${version}`;
    return text === named ? [] : [`it reads ${JSON.stringify(text)}, and the target was ${named}`];
  }

  /** What another repository calls its records, and when it made them, is none of this one's business. */
  #elsewhere(text: unknown, { repoId, recordId, version }: Identity): string[] {
    const last = this.#rows.elsewhere.get(`${repoId}/${recordId}`) ?? 0;
    if (version > last) return [`record ${recordId} of repository ${repoId} has ${last} versions, not ${version}`];
    const pin = CANONICAL.exec(String(text))?.[1];
    return Number(pin) === version ? [] : [`it reads ${JSON.stringify(text)}, and the target is at version ${version}`];
  }
}

class ReferenceCheck {
  readonly #stretch: RecordStretch;
  readonly #names: NameHistory;
  readonly #wrefs: WrefCheck;

  constructor(stretch: RecordStretch, names: NameHistory) {
    this.#stretch = stretch;
    this.#names = names;
    this.#wrefs = new WrefCheck(stretch, names);
  }

  ofVersion(record: RecordRow, version: VersionRow): string[] {
    if (record.shape_id === 0) return this.#ofShape(version);
    // Whom it referred to is known, and no text is left to name them.
    if (isPurged(version)) return [];
    const data = parsed(version.data);
    const references = referencesOf(version);
    const writing = { by: version.record_id, moment: momentOf(this.#writtenAs(version)) };
    const texts = references.flatMap(({ path, ...identity }) => {
      const found = this.#wrefs.of({ text: valueAt(data, path), identity }, writing);
      return found.map((difference) => `${path}: ${difference}`);
    });
    const paths = new Set(references.map(({ path }) => path));
    const typed = new Set(this.#wrefPaths(record, version));
    const places = [
      ...[...typed].filter((path) => !paths.has(path)).map((path) => `${path}: a wref without a reference`),
      ...[...paths].filter((path) => !typed.has(path)).map((path) => `${path}: a reference without a wref`),
    ];
    return [...texts, ...places].map((one) => `record ${version.record_id} version ${version.version}: ${one}`);
  }

  /** A shape asks for others in its fields, by name and without a version. A name may become theirs later in its commit. */
  #ofShape(version: VersionRow): string[] {
    const data = parsed(version.data);
    const moment = momentOf(this.#writtenAs(version));
    return referencesOf(version).flatMap(({ path, recordId }) => {
      const text = valueAt(data, path);
      const named = this.#names.fullNameAt(recordId, moment);
      const isNamed = text === named || text === this.#names.fullNameAt(recordId, { ...moment, op: Infinity });
      const isPlace = /^\/fields\/.*\/shape(\/[0-9]+)?$/.test(path);
      if (isNamed && isPlace) return [];
      return [
        `shape ${version.record_id} version ${version.version}: ${path} reads ${JSON.stringify(text)}, not ${named}`,
      ];
    });
  }

  ofAbout({ record_id, about, about_wref }: RecordRow): string[] {
    const [first] = this.#stretch.versions.get(record_id) ?? [];
    const identity = identityIn(about);
    if (identity === undefined || first === undefined) return [];
    const written = { text: about_wref, identity };
    const found = this.#wrefs.of(written, { by: record_id, moment: momentOf(first) });
    return found.map((difference) => `what record ${record_id} is about: ${difference}`);
  }

  /** A retraction keeps the text of the version before it, and the names of then. */
  #writtenAs(version: VersionRow): VersionRow {
    if (version.operation !== 'retract') return version;
    return this.#stretch.versions.get(version.record_id)?.[version.version - 2] ?? version;
  }

  #wrefPaths({ shape_id }: RecordRow, { shape_version, data }: VersionRow): string[] {
    const shape = this.#stretch.versions.get(shape_id)?.find(({ version }) => version === shape_version);
    return shape === undefined ? [`no version ${shape_version} of its shape`] : wrefPathsIn(shape.data, data);
  }
}
