// References: the text in data names the record that the identity beside it means, by the name of that moment.
import { valueAt } from '../../../packages/server/src/model/json-pointer.ts';
import { type Identity, parseIdentity } from '../../../packages/server/src/model/reference.ts';
import { isSooner, type Moment, momentOf } from './moment.ts';
import type { NameHistory } from './name.ts';
import { type RecordRow, type RepositoryRows, referencesOf, type VersionRow } from './row.ts';
import { wrefPathsIn } from './wref-field.ts';

export function referenceDifferences(rows: RepositoryRows, names: NameHistory): string[] {
  const check = new ReferenceCheck(rows, names);
  return [
    ...[...rows.versions.values()].flat().flatMap((version) => check.ofVersion(version)),
    ...[...rows.records.values()].flatMap((record) => check.ofAbout(record)),
    ...rows.commits.flatMap((commit) => {
      if (commit.committer_identity === null) return [];
      const written = { text: commit.committer, identity: parseIdentity(commit.committer_identity) };
      const found = check.of(written, { by: 0, moment: { seq: commit.repo_seq, op: Number.POSITIVE_INFINITY } });
      return found.map((difference) => `the committer of ${commit.repo_seq}: ${difference}`);
    }),
  ];
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

class ReferenceCheck {
  readonly #rows: RepositoryRows;
  readonly #names: NameHistory;

  constructor(rows: RepositoryRows, names: NameHistory) {
    this.#rows = rows;
    this.#names = names;
  }

  ofVersion(version: VersionRow): string[] {
    if (this.#rows.records.get(version.record_id)?.shape_id === 0) return this.#ofShape(version);
    const data: unknown = JSON.parse(version.data);
    const references = referencesOf(version);
    const writing = { by: version.record_id, moment: momentOf(this.#writtenAs(version)) };
    const texts = references.flatMap(({ path, ...identity }) => {
      const found = this.of({ text: valueAt(data, path), identity }, writing);
      return found.map((difference) => `${path}: ${difference}`);
    });
    const paths = new Set(references.map(({ path }) => path));
    const typed = new Set(this.#wrefPaths(version));
    const places = [
      ...[...typed].filter((path) => !paths.has(path)).map((path) => `${path}: a wref without a reference`),
      ...[...paths].filter((path) => !typed.has(path)).map((path) => `${path}: a reference without a wref`),
    ];
    return [...texts, ...places].map((one) => `record ${version.record_id} version ${version.version}: ${one}`);
  }

  /** A shape asks for others in its fields, by name and without a version. */
  #ofShape(version: VersionRow): string[] {
    const data: unknown = JSON.parse(version.data);
    const moment = momentOf(this.#writtenAs(version));
    return referencesOf(version).flatMap(({ path, recordId }) => {
      const text = valueAt(data, path);
      const named = this.#names.fullNameAt(recordId, moment);
      const isPlace = /^\/fields\/.*\/shape(\/[0-9]+)?$/.test(path);
      if (text === named && isPlace) return [];
      return [
        `shape ${version.record_id} version ${version.version}: ${path} reads ${JSON.stringify(text)}, not ${named}`,
      ];
    });
  }

  ofAbout({ record_id, about, about_wref }: RecordRow): string[] {
    const [first] = this.#rows.versions.get(record_id) ?? [];
    if (about === null || first === undefined) return [];
    const written = { text: about_wref, identity: parseIdentity(about) };
    const found = this.of(written, { by: record_id, moment: momentOf(first) });
    return found.map((difference) => `what record ${record_id} is about: ${difference}`);
  }

  /** A retraction keeps the text of the version before it, and the names of then. */
  #writtenAs(version: VersionRow): VersionRow {
    if (version.operation !== 'retract') return version;
    return this.#rows.versions.get(version.record_id)?.[version.version - 2] ?? version;
  }

  of({ text, identity }: WrittenReference, writing: Writing): string[] {
    return identity.repoId === this.#rows.repoId
      ? this.#within(text, identity, writing)
      : this.#elsewhere(text, identity);
  }

  #within(text: unknown, { recordId, version }: Identity, { by, moment }: Writing): string[] {
    const made = (this.#rows.versions.get(recordId) ?? []).filter((one) => {
      const at = momentOf(one);
      // What an operation makes on its way, a built-in shape, it may refer to; itself it may not.
      return isSooner(at, moment) || (recordId !== by && !isSooner(moment, at));
    });
    if (made.length < version) return [`record ${recordId} had ${made.length} versions, not ${version}`];
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

  #wrefPaths({ record_id, shape_version, data }: VersionRow): string[] {
    const shapeId = this.#rows.records.get(record_id)?.shape_id ?? 0;
    if (shapeId === 0) return [];
    const shape = this.#rows.versions.get(shapeId)?.find(({ version }) => version === shape_version);
    return shape === undefined ? [`no version ${shape_version} of its shape`] : wrefPathsIn(shape.data, data);
  }
}
