// Turns intents into operations, based on the state at that moment of the commit.
import { COLLECTION_RULES, type CollectionType, collectionData, collectionTypeOf } from './collection.ts';
import type { ModelCommit } from './commit.ts';
import { isPlaceholder } from './draft.ts';
import {
  type DataIntent,
  LOCALS,
  type NameIntent,
  type OperationIntent,
  SHAPE_NAMES,
  type SubjectIntent,
  type TargetIntent,
} from './intent.ts';
import type { SentOperation } from './operation.ts';
import { headOf, type ModelRecord, type ModelState, refsIn } from './state.ts';

const DEEP = 'de/ep~';
const SENSOR = {
  'room?': { type: 'wref', indexed: true },
  'links?': ['wref'],
  'at?': { [`${DEEP}?`]: { type: 'wref', indexed: true } },
};

export const DEFINITIONS = [
  { fields: { 'n?': { type: 'number', indexed: true } } },
  { fields: { ...SENSOR, 'n?': 'number' } },
  { fields: { ...SENSOR, 'n?': { type: 'number', indexed: true }, 'label?': { type: 'string', indexed: true } } },
  { fields: { 'room?': 'string', 'links?': ['wref'], 'n?': 'number' } },
];

const WRONG = ['not a wref', 'Room/a@ALL', 'wh:nobody/nothing/Room/a', '#x'];

interface WriterPlace {
  readonly commit: ModelCommit;
  /** `wh:org/repo/` of the target repository. */
  readonly address: string;
  readonly otherAddress: string;
  readonly other: ModelState;
  /** `undefined` for a record that this commit makes. */
  readonly durableIdOf: (address: string, id: number) => string | undefined;
}

type Intent<Do extends OperationIntent['do']> = Extract<OperationIntent, { do: Do }>;

export class OperationWriter {
  readonly #place: WriterPlace;

  constructor(place: WriterPlace) {
    this.#place = place;
  }

  get #state(): ModelState {
    return this.#place.commit.state;
  }

  write(intent: OperationIntent): SentOperation {
    switch (intent.do) {
      case 'add':
        return this.#add(intent);
      case 'addShape':
        return { operation: 'add', kind: 'shape', name: intent.name, data: at(DEFINITIONS, intent.definition) };
      case 'collect':
        return this.#collect(intent);
      case 'collectAgain':
        return this.#collectAgain(intent);
      case 'revise':
        return { operation: 'revise', ...this.#subject(intent), ...this.#revision(intent) };
      case 'retract':
        return { operation: 'retract', ...this.#subject(intent) };
      case 'rename':
        return { operation: 'rename', ...this.#subject(intent), newName: this.#newName(intent) };
    }
  }

  #add({ name, data, about, skipExisting }: Intent<'add'>): SentOperation {
    const fullName = `${this.#shapeName(name.shape)}/${localOf(name)}`;
    const assertion = about && { about: this.#target(about) };
    return { operation: 'add', name: fullName, data: this.#data(data), ...assertion, skipExisting };
  }

  #shapeName(pick: number): string {
    const shapes = this.#state.records.filter(({ shapeId, local }) => shapeId === 0 && SHAPE_NAMES.includes(local));
    return pick % 10 === 9 ? at(SHAPE_NAMES, pick) : at(shapes, pick).local;
  }

  #collect({ type, members, name, full, skipExisting }: Intent<'collect'>): SentOperation {
    const prefix = full ? `${COLLECTION_RULES[type].shapeName}/` : '';
    const named = name && { name: `${prefix}${localOf(name)}` };
    return { operation: 'add', type, members: members.map((one) => this.#target(one)), ...named, skipExisting };
  }

  #collectAgain({ pick, pinned }: Intent<'collectAgain'>): SentOperation {
    const collections = this.#state.records.filter(({ kind }) => kind === 'collection');
    const record = collections.length === 0 ? undefined : at(collections, pick);
    const data = record && this.#presentData(record);
    if (record === undefined || data === undefined) return { operation: 'add', type: 'set', members: [] };
    const type = collectionTypeOf(this.#state.record(record.shapeId).local) ?? 'set';
    const texts = Object.values(data).flat() as string[];
    return { operation: 'add', type, members: pinned ? texts : texts.map((text) => text.replace(/@.*/, '')) };
  }

  #target(intent: TargetIntent): string {
    const { by, pick } = intent;
    if (by === 'wrong') return at(WRONG, pick);
    if (by === 'token') return tokenAt(pick);
    if (by === 'name') return poolName(pick);
    const { other, otherAddress } = this.#place;
    if (by === 'record' || other.records.length === 0) {
      const record = at(this.#state.records, pick);
      return `${this.#wrefOf(record, intent)}${pinOf(record, intent)}`;
    }
    const record = at(other.records, pick);
    const base = this.#durableId(otherAddress, record, intent) ?? `${otherAddress}${other.nameOf(record)}`;
    return `${base}${pinOf(record, intent)}`;
  }

  #durableId(address: string, { id }: ModelRecord, { form }: TargetIntent): string | undefined {
    return form === 'durable' ? this.#place.durableIdOf(address, id) : undefined;
  }

  /** A record of this commit has no known durable ID, and perhaps no name. */
  #wrefOf(record: ModelRecord, intent: TargetIntent): string {
    const { address, commit } = this.#place;
    const name = this.#state.nameOf(record);
    const label = commit.tokens.labelOf(record.id);
    const durableId = this.#durableId(address, record, intent);
    if (durableId !== undefined) return durableId;
    if (label !== undefined) return `#${label}`;
    if (isPlaceholder(name)) return poolName(intent.pick);
    return intent.form === 'canonical' ? `${address}${name}` : name;
  }

  #data({ room, home, deep, links, n, label }: DataIntent): Record<string, unknown> {
    return {
      ...(room && { room: this.#target(room) }),
      ...(home && { home: this.#target(home) }),
      ...(deep && { at: { [DEEP]: this.#target(deep) } }),
      ...(links && { links: links.map((one) => this.#target(one)) }),
      ...(n !== undefined && { n }),
      ...(label !== undefined && { label }),
    };
  }

  #subject({ subject, expected }: SubjectIntent): Pick<SentOperation, 'name' | 'expectedVersion'> {
    const name = this.#subjectName(subject);
    const version = this.#subjectOf(subject)?.versions.length ?? 1;
    if (expected === 'none') return { name };
    return { name, expectedVersion: expected === 'present' ? version : version + 1 };
  }

  #subjectName(intent: TargetIntent): string {
    const record = this.#subjectOf(intent);
    if (record !== undefined) return this.#wrefOf(record, intent);
    return intent.by === 'token' ? tokenAt(intent.pick) : poolName(intent.pick);
  }

  #subjectOf({ by, pick }: TargetIntent): ModelRecord | undefined {
    return by === 'record' ? at(this.#state.records, pick) : undefined;
  }

  #revision(intent: Intent<'revise'>): Pick<SentOperation, 'data' | 'members'> {
    const record = this.#subjectOf(intent.subject);
    if (record === undefined) return { data: this.#data(intent.data) };
    if (record.kind === 'shape') return { data: at(DEFINITIONS, intent.definition) };
    const type = collectionTypeOf(this.#state.record(record.shapeId).local);
    if (type !== undefined) return this.#collectionRevision(intent, { record, type });
    const { n, label } = intent.data;
    const changes = { ...(n !== undefined && { n }), ...(label !== undefined && { label }) };
    const kept = intent.keep ? this.#presentData(record) : undefined;
    return { data: kept === undefined ? this.#data(intent.data) : { ...kept, ...changes } };
  }

  #collectionRevision(
    { keep, byData, members }: Intent<'revise'>,
    { record, type }: { record: ModelRecord; type: CollectionType },
  ): Pick<SentOperation, 'data' | 'members'> {
    const present = keep ? this.#presentData(record) : undefined;
    const given = members.map((one) => this.#target(one));
    if (byData) return { data: present ?? collectionData(type, given) };
    return { members: present === undefined ? given : (Object.values(present).flat() as string[]) };
  }

  #presentData(record: ModelRecord): Record<string, unknown> | undefined {
    const { data } = headOf(record);
    const { address } = this.#place;
    const own = refsIn(data).filter(({ ref }) => ref.repo === address);
    const isKnown = own.every(({ ref }) => !isPlaceholder(this.#state.nameOf(this.#state.record(ref.id))));
    return isKnown ? (this.#state.render(data) as Record<string, unknown>) : undefined;
  }

  #newName({ subject, local, shapeName, stray }: Intent<'rename'>): string {
    const record = this.#subjectOf(subject);
    if (record === undefined || stray) return `${shapeName}/${local}`;
    return record.shapeId === 0 ? shapeName : `${this.#state.record(record.shapeId).local}/${local}`;
  }
}

const localOf = ({ local, label }: NameIntent) => (label === undefined ? local : `${local}-$${label}`);

const tokenAt = (pick: number) => `#${at([0, 1, 2, 3, 9], pick)}`;
const poolName = (pick: number) => `${at(SHAPE_NAMES, pick)}/${at(LOCALS, Math.floor(pick / SHAPE_NAMES.length))}`;

function pinOf({ versions: { length } }: ModelRecord, { pin }: TargetIntent): string {
  return { none: '', HEAD: '@HEAD', present: `@v${length}`, first: '@v1', beyond: `@v${length + 1}` }[pin];
}

function at<Item>(items: readonly Item[], pick: number): Item {
  const item = items.at(pick % items.length);
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
}
