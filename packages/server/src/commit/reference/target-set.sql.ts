// Resolves the wrefs of a commit, operation by operation: stored records with the commit's changes so far, its
// placeholders, and readable records of other repositories.

import { type PlaceholderReference, parsePlaceholderReference } from '@cairn/model/placeholder';
import { attempt } from '@cairn/model/problem';
import {
  type DurableIdParts,
  formatCanonical,
  formatRecordName,
  type Identity,
  listSpellings,
  type Pin,
  parseWref,
  type RecordName,
  type Wref,
} from '@cairn/model/wref';
import { CairnError, fail } from '@cairn/protocol/errors';
import type { Grant } from '../../access/grant.rule.ts';
import { compileNarrowing, type IsShown, type Narrowing } from '../../access/narrowing.rule.ts';
import type { Reader } from '../../engine/database.ts';
import { toNamed } from '../../read/hidden-target.sql.ts';
import type { ShapeAliases, WriteOrder } from '../drafting.sql.ts';
import type { PlaceholderSet } from '../placeholder-set.sql.ts';
import type { Head, RecordAddress, RecordSet } from '../record-set.sql.ts';
import { RememberedTargets } from './reference-run.rule.ts';
import { TargetLookup, type TargetRow } from './target-lookup.sql.ts';

export interface ReadableRepository {
  readonly repoId: number;
  readonly orgName: string;
  readonly repoName: string;
  readonly narrowing?: Narrowing | undefined;
}

export interface Resolved {
  readonly identity: Identity;
  readonly wref: string;
  /** `undefined` in another repository; 0 for a shape. */
  readonly shapeId: number | undefined;
  readonly shapeName: string | undefined;
  readonly exact: boolean;
}

interface CommitTarget extends Omit<Resolved, 'identity' | 'exact'> {
  readonly repoId: number;
  readonly recordId: number;
  readonly version: number;
  readonly active: boolean;
}

export class TargetSet {
  readonly #own: ReadableRepository;
  readonly #records: RecordSet;
  readonly #placeholders: PlaceholderSet;
  /** Unset for a writer with full access, who may refer to everything. */
  readonly #isReferable: IsShown | undefined;
  readonly #parsed = new Map<string, Wref | PlaceholderReference | CairnError>();
  readonly #remembered: RememberedTargets;
  readonly #readable: ReadonlyMap<string | number, ReadableRepository>;
  readonly lookup: TargetLookup;

  constructor({ grant, readable: others }: WriteOrder, records: RecordSet, placeholders: PlaceholderSet) {
    const { orgName, name: repoName } = grant.repository;
    this.#own = { repoId: grant.repoId, orgName, repoName };
    this.#records = records;
    this.#placeholders = placeholders;
    this.#isReferable = referableBy(grant);
    this.#remembered = new RememberedTargets(records);
    this.lookup = new TargetLookup(grant.repoId);
    const readable = new Map<string | number, ReadableRepository>();
    for (const repository of [...others, this.#own]) {
      readable.set(repository.repoId, repository);
      readable.set(`${repository.orgName}/${repository.repoName}`, repository);
    }
    this.#readable = readable;
  }

  async load(reader: Reader, texts: Iterable<string>, aliases: ShapeAliases): Promise<void> {
    const own = this.repoId;
    const names: RecordName[] = [];
    const ids: number[] = [];
    const labels: number[] = [];
    const foreignNames: { repoId: number; name: RecordName }[] = [];
    const foreignIds: { repoId: number; recordId: number }[] = [];
    for (const text of texts) {
      const wref = this.#parse(text);
      if (wref instanceof CairnError) continue;
      if ('token' in wref) {
        labels.push(wref.token);
        continue;
      }
      const repoId = this.#repositoryOf(wref)?.repoId;
      if (repoId === undefined) continue;
      if ('name' in wref) repoId === own ? names.push(wref.name) : foreignNames.push({ repoId, name: wref.name });
      else repoId === own ? ids.push(wref.recordId) : foreignIds.push(wref);
    }
    await this.#loadNames(reader, names, aliases);
    await this.#placeholders.load(reader, labels);
    await this.lookup.loadByIds(reader, [...ids, ...labels.flatMap((label) => this.#placeholders.find(label) ?? [])]);
    await this.lookup.loadForeign(reader, foreignNames);
    await this.lookup.loadForeignByIds(reader, foreignIds);
  }

  async #loadNames(reader: Reader, names: readonly RecordName[], aliases: ShapeAliases): Promise<void> {
    const records = this.#records;
    const shapeNames = new Set(names.flatMap(({ shapeName }) => aliases.of(shapeName)));
    const shapes = [...shapeNames].map((local) => ({ shapeId: 0, local }));
    await this.lookup.loadNamed(
      reader,
      shapes.filter((address) => !records.knows(address)),
    );
    const addresses = names.flatMap(({ shapeName, local }) =>
      aliases.of(shapeName).flatMap((alias) => {
        const shapeId = local === '' ? undefined : this.shapeIdOf(alias);
        return shapeId === undefined ? [] : [{ shapeId, local }];
      }),
    );
    await this.lookup.loadNamed(
      reader,
      addresses.filter((address) => !records.knows(address)),
    );
  }

  shapeIdOf(shapeName: string): number | undefined {
    return this.#find({ shapeName, local: '' })?.recordId;
  }

  get repoId(): number {
    return this.#own.repoId;
  }

  /** A version that is already referenced (`heldVersion`) stays valid even if its target was retracted. */
  resolve(text: string, heldVersion: HeldVersion = holdsNone): Resolved {
    const known = heldVersion === holdsNone ? this.#remembered.find(text) : undefined;
    if (known !== undefined) return known;
    const parsed = this.#parse(text);
    if (parsed instanceof CairnError) {
      throw fail('VALIDATION_ERROR', {
        message: `Expected a wref, such as Shape/name or Shape/name@v1: ${parsed.message}`,
      });
    }
    if (parsed.pin === 'ALL') {
      throw fail('VALIDATION_ERROR', {
        message: `${clipWref(text)}: a reference needs a single version. Leave out @ALL for the current version, or write a version such as @v1.`,
      });
    }
    const target = 'token' in parsed ? this.#made(parsed.token) : this.#target(parsed);
    if (target === undefined) throw this.#missing(text, parsed);
    const resolved = pinned(target, parsed.pin, text, heldVersion);
    if (heldVersion === holdsNone) this.#remembered.keep(text, resolved);
    return resolved;
  }

  isWref(text: string): boolean {
    return !(this.#parse(text) instanceof CairnError);
  }

  #parse(text: string): Wref | PlaceholderReference | CairnError {
    const known = this.#parsed.get(text);
    if (known !== undefined) return known;
    const parsed = attempt(() => parsePlaceholderReference(text) ?? parseWref(text));
    this.#parsed.set(text, parsed);
    return parsed;
  }

  /** Missing and unreadable repositories look the same to the writer. */
  #repositoryOf(wref: Wref): ReadableRepository | undefined {
    if ('repoId' in wref) return this.#readable.get(wref.repoId);
    return 'repoName' in wref ? this.#readable.get(`${wref.orgName}/${wref.repoName}`) : this.#own;
  }

  #made(label: number): CommitTarget | undefined {
    return this.#findById(this.#placeholders.resolve(label));
  }

  #target(wref: Wref): CommitTarget | undefined {
    const repository = this.#repositoryOf(wref);
    if (repository === undefined) return undefined;
    if (repository === this.#own) {
      const target = 'name' in wref ? this.#find(wref.name) : this.#findById(wref.recordId);
      return target && this.#mayReferTo(target) ? target : undefined;
    }
    const { repoId } = repository;
    const row = 'name' in wref ? this.lookup.findForeign({ repoId, name: wref.name }) : this.lookup.findById(wref);
    return row && isReadable(repository, row) ? foreignTarget(repository, row) : undefined;
  }

  /** A record that the writer may neither read nor write counts as missing. */
  #mayReferTo({ recordId, shapeId = 0, shapeName, wref }: CommitTarget): boolean {
    const isReferable = this.#isReferable;
    if (isReferable === undefined) return true;
    const called = [{ name: wref, shapeName: shapeName ?? wref }];
    return isReferable(
      shapeName === undefined ? { kind: 'shape', shapeId: recordId, called } : { kind: 'thing', shapeId, called },
    );
  }

  #find(name: RecordName): CommitTarget | undefined {
    const shape = this.#findAt({ shapeId: 0, local: name.shapeName });
    if (name.local === '' || shape === undefined) return shape;
    return this.#findAt({ shapeId: shape.recordId, local: name.local });
  }

  #findAt({ shapeId, local }: RecordAddress): CommitTarget | undefined {
    const records = this.#records;
    for (const spelling of listSpellings(local)) {
      const address = { shapeId, local: spelling };
      const head = records.find(address);
      if (head?.local === spelling) return this.#ofHead(head);
      const row = records.knows(address) ? undefined : this.lookup.find(address);
      if (row !== undefined) return this.#ofRow(row);
    }
    return undefined;
  }

  #findById(recordId: number): CommitTarget | undefined {
    const head = this.#records.findById(recordId);
    if (head !== undefined) return this.#ofHead(head);
    const row = this.lookup.findById({ repoId: this.repoId, recordId });
    return row && this.#ofRow(row);
  }

  #ofHead({ recordId, shapeId, local, version, active }: Head): CommitTarget {
    const shapeName = shapeId === 0 ? undefined : this.shapeNameOf(shapeId);
    return this.#local({ recordId, shapeId, shapeName, version, active }, local);
  }

  #ofRow({ record_id, shape_id, name, shape_name, version, active }: TargetRow): CommitTarget {
    const renamed = shape_id === 0 ? undefined : this.#records.findById(shape_id)?.local;
    const shapeName = renamed ?? shape_name ?? undefined;
    return this.#local({ recordId: record_id, shapeId: shape_id, shapeName, version, active: active === 1 }, name);
  }

  #local(target: Omit<CommitTarget, 'repoId' | 'wref'>, local: string): CommitTarget {
    const { recordId, shapeId, shapeName, version, active } = target;
    const wref = shapeName === undefined ? local : formatRecordName({ shapeName, local });
    return { repoId: this.repoId, recordId, shapeId, shapeName, version, active, wref };
  }

  shapeNameOf(shapeId: number): string {
    const name = this.findShapeName(shapeId);
    if (name === undefined) throw new Error(`the shape ${shapeId} was not loaded`);
    return name;
  }

  findShapeName(shapeId: number): string | undefined {
    const stored = () => this.lookup.findById({ repoId: this.repoId, recordId: shapeId })?.name;
    return this.#records.findById(shapeId)?.local ?? stored() ?? this.lookup.findNameOf(shapeId);
  }

  #missing(text: string, parsed: Wref | PlaceholderReference): CairnError {
    const own = !('token' in parsed) && this.#repositoryOf(parsed) === this.#own;
    const name = own && 'name' in parsed ? formatRecordName(parsed.name) : undefined;
    const failed = name === undefined ? undefined : this.#placeholders.failureOf(name);
    if (failed !== undefined) return failed;
    return fail('TARGET_NOT_FOUND', {
      message: !own
        ? `There is no record ${clipWref(text)} that you may read. Check the wref.`
        : `There is no record ${clipWref(text)}. Add it first, or earlier in the same commit.`,
    });
  }
}

function referableBy({ narrowing, writes }: Grant): IsShown | undefined {
  if (writes === undefined) return undefined;
  const [reads, written] = [compileNarrowing(narrowing), compileNarrowing(writes)];
  return (record) => reads(record) || written(record);
}

function isReadable({ narrowing }: ReadableRepository, row: TargetRow): boolean {
  const now = { name_now: row.name, shape_name_now: row.shape_name };
  return narrowing === undefined || compileNarrowing(narrowing)(toNamed({ ...row, ...now }));
}

function foreignTarget({ repoId, orgName, repoName }: ReadableRepository, row: TargetRow): CommitTarget {
  const shapeName = row.shape_name ?? undefined;
  const name = shapeName === undefined ? row.name : formatRecordName({ shapeName, local: row.name });
  const state = { version: row.version, active: row.active === 1 };
  return {
    repoId,
    recordId: row.record_id,
    shapeId: undefined,
    shapeName,
    ...state,
    wref: formatCanonical({ orgName, repoName, name }),
  };
}

type HeldVersion = (record: DurableIdParts) => number | undefined;

const holdsNone: HeldVersion = () => undefined;

function pinned(target: CommitTarget, pin: Pin, text: string, heldVersion: HeldVersion): Resolved {
  const { repoId, recordId, wref } = target;
  const exact = typeof pin === 'number';
  const held = exact || target.active ? undefined : heldVersion({ repoId, recordId });
  const version = exact ? pin : (held ?? target.version);
  if (version > target.version) {
    throw fail('TARGET_NOT_FOUND', {
      message: `${clipWref(text)} does not exist. The last version is @v${target.version}.`,
    });
  }
  if (!exact && !target.active && held === undefined) {
    throw fail('TARGET_NOT_FOUND', {
      message: `${clipWref(text)} is retracted. To refer to it anyway, add a version such as @v${Math.max(1, target.version - 1)}.`,
    });
  }
  const { shapeId, shapeName } = target;
  return { identity: { repoId, recordId, version }, wref: `${wref}@v${version}`, shapeId, shapeName, exact };
}

const clipWref = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}…` : text);
