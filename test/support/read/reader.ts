// The readers of a world, and each reader's view, record by record: `thing.getMany` gives every record at a sequence.
// Lists are compared with these views. narrowing.property.test.ts checks that the views hide what they must.

import type { ScopeEntry } from '@cairn/protocol/account';
import type { RecordItem } from '@cairn/protocol/record';
import { type CallProcedure, caller } from '../procedure.ts';
import { type ReadWorld, WREFS_AT_ONCE } from './world.ts';

export class WorldReader {
  readonly world: ReadWorld;
  readonly label: string;
  readonly token: string | undefined;
  readonly call: CallProcedure;
  readonly #views = new Map<number, Promise<RecordItem[]>>();
  readonly #elsewhere = new Map<string, Promise<string | undefined>>();

  constructor(world: ReadWorld, { label, token }: { label: string; token: string | undefined }) {
    this.world = world;
    this.label = label;
    this.token = token;
    this.call = caller(world.options.app, token);
  }

  /** Every existing record, in creation order. */
  viewAt(seq: number): Promise<RecordItem[]> {
    const known = this.#views.get(seq) ?? this.#readAt(seq);
    this.#views.set(seq, known);
    return known;
  }

  async #readAt(seq: number): Promise<RecordItem[]> {
    const { known, main } = this.world;
    const found: RecordItem[] = [];
    for (let start = 0; start < known.length; start += WREFS_AT_ONCE) {
      const wrefs = known.slice(start, start + WREFS_AT_ONCE).map(({ durableId }) => durableId);
      const asked = { ...main, wrefs, atRepoSeq: seq, includeRetracted: true };
      const { items } = (await this.call('thing.getMany', asked)).data();
      found.push(...items.flatMap((item) => item ?? []));
    }
    return found.sort((a, b) => (a.durableId < b.durableId ? -1 : 1));
  }

  findElsewhere(wref: string): Promise<string | undefined> {
    const known = this.#elsewhere.get(wref) ?? this.#askElsewhere(wref);
    this.#elsewhere.set(wref, known);
    return known;
  }

  async #askElsewhere(wref: string): Promise<string | undefined> {
    const answer = await this.call('thing.get', { ...this.world.main, wref, includeRetracted: true });
    if (answer.status === 200) return answer.data().durableId;
    if (answer.code !== 'NOT_FOUND') throw new Error(answer.body);
    return undefined;
  }
}

export function ownerOf(world: ReadWorld): WorldReader {
  return new WorldReader(world, { label: 'owner', token: world.sessionToken });
}

/** Readers with full access, and some with partial access. */
export async function createReaders(world: ReadWorld, narrowed: number): Promise<WorldReader[]> {
  const { main } = world;
  const resource = `${main.orgName}/${main.repoName}`;
  const readers = [await readerWith(world, [{ resource, permissions: ['repo:read'] }])];
  if (world.isPublic) readers.push(new WorldReader(world, { label: 'anonymous', token: undefined }));
  for (let number = 0; number < narrowed; number++) {
    readers.push(await readerWith(world, [narrowedEntry(world)]));
  }
  return readers;
}

export async function readerWith(world: ReadWorld, scopes: readonly ScopeEntry[]): Promise<WorldReader> {
  const name = `reader${world.random.below(1_000_000_000)}`;
  const minted = (await world.session('token.create', { name, scopes: [...scopes] })).data();
  return new WorldReader(world, { label: JSON.stringify(scopes), token: minted.token });
}

function narrowedEntry(world: ReadWorld): ScopeEntry {
  const { random, main } = world;
  const shapes = world.known.filter(({ kind }) => kind === 'shape').map(({ local }) => local);
  const form = random.below(5);
  return {
    resource: random.once(2) ? main.orgName : `${main.orgName}/${main.repoName}`,
    permissions: ['repo:read'],
    ...(form < 3 && { refs: Array.from({ length: 1 + random.below(3) }, () => randomGlob(world)) }),
    ...(form > 2 && { shapes: random.some(shapes, 3) }),
    ...(form === 4 && { refs: [random.pick(['*/a*/**', '*/a*', '**b', '**/*', '*/*'])] }),
  };
}

function randomGlob({ random, known }: ReadWorld): string {
  const { name } = random.pick(known);
  const [shapeName = ''] = name.split('/');
  switch (random.below(6)) {
    case 0:
      return `${shapeName}/a*`;
    case 1:
      return `${shapeName}/**`;
    case 2:
      return '*/a/**';
    case 3:
      return `**${name.slice(-1).isWellFormed() ? name.slice(-1) : 'b'}`;
    case 4:
      return `${shapeName.slice(0, 2)}*/*`;
    default:
      return name;
  }
}
