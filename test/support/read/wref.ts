// Resolves the wrefs in a request for its reader at the sequence read.
import type { RecordItem } from '@cairn/protocol/record';
import type { Identity } from './path.ts';
import type { WorldReader } from './reader.ts';
import type { ReadRequest } from './request.ts';

const DURABLE_ID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

interface Found extends Identity {
  /** Number of versions; `undefined` for a record in another repository. */
  readonly versions: number | undefined;
}

export class ResolvedWrefs {
  readonly #found: ReadonlyMap<string, Found>;

  static async of(reader: WorldReader, view: readonly RecordItem[], request: ReadRequest): Promise<ResolvedWrefs> {
    const { wref, about, where = [] } = request;
    const values = where.flatMap(({ rhs }) => rhs).filter((value) => typeof value === 'string');
    const texts = new Set([wref, about, ...values].filter((text) => text !== undefined));
    const found = new Map<string, Found>();
    for (const text of texts) {
      const one = await find(reader, view, text);
      if (one !== undefined) found.set(text, one);
    }
    return new ResolvedWrefs(found);
  }

  private constructor(found: ReadonlyMap<string, Found>) {
    this.#found = found;
  }

  find(text: string): Identity | undefined {
    return this.#found.get(text);
  }

  /** A record that `about` accepts. A version that does not exist yet is invalid. */
  target(text: string): Identity | undefined {
    const found = this.#found.get(text);
    const { version = 0, versions = Number.POSITIVE_INFINITY } = found ?? {};
    return version > versions ? undefined : found;
  }
}

async function find(reader: WorldReader, view: readonly RecordItem[], text: string): Promise<Found | undefined> {
  const at = text.lastIndexOf('@');
  const [base, pin] = at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
  const { orgName, repoName } = reader.world.main;
  const own = `wh:${orgName}/${repoName}/`;
  const local = base.startsWith(own) ? base.slice(own.length) : base;
  const item = view.find(({ durableId, name }) => durableId === local || name === local);
  if (item !== undefined) {
    return { durableId: item.durableId, version: versionOf(pin, item.version), versions: item.version };
  }
  if (!reader.world.elsewhere.includes(base) || !(local.startsWith('wh:') || DURABLE_ID.test(local))) return undefined;
  const durableId = await reader.findElsewhere(base);
  return durableId === undefined ? undefined : { durableId, version: versionOf(pin, 0), versions: undefined };
}

function versionOf(pin: string | undefined, present: number): number | undefined {
  if (pin === undefined || pin === 'ALL') return undefined;
  return pin === 'HEAD' ? present : Number(pin.slice(1));
}
