// Everything that can be read at the head of a repository, for a comparison with a copy.
import type { ProcedureName } from '@cairn/protocol/procedure-kinds';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import { ORDERS } from '@cairn/protocol/read';
import type { CallProcedure } from '../procedure.ts';

interface Address {
  readonly orgName: string;
  readonly repoName: string;
}

export type Answers = Record<string, unknown>;

const ALL = { includeRetracted: true, limit: 500 } as const;

export async function readEverything(call: CallProcedure, address: Address): Promise<Answers> {
  const answers: Answers = {};
  const ask = async <Name extends ProcedureName>(name: Name, input: object) => {
    const answer = await call(name, { ...address, ...input } as ProcedureInput<Name>);
    answers[`${name} ${JSON.stringify(input)}`] = answer.status === 200 ? shown(answer.data()) : answer.code;
    return answer;
  };
  for (const order of ORDERS) await ask('thing.head', { order, ...ALL });
  for (const kind of ['thing', 'assertion', 'collection', 'shape'] as const) {
    await ask('thing.head', { kind, limit: 500 });
    await ask('thing.count', { kind });
  }
  const { items } = (await ask('thing.head', ALL)).data() as { items: { name: string; kind: string }[] };
  for (const { name, kind } of items) {
    await (kind === 'shape' ? readShape(ask, name) : readOther(ask, name));
    await ask('thing.about', { wref: name, depth: 2, resolveCollections: true, ...ALL });
    await ask('thing.refs', { wref: name, limit: 500 });
    await ask('thing.graph', { wref: name, depth: 2 });
  }
  for (const name of ['repo.stats', 'repo.describe'] as const) await ask(name, {});
  await ask('shape.list', {});
  return answers;
}

type Ask = (name: ProcedureName, input: object) => Promise<unknown>;

async function readShape(ask: Ask, name: string): Promise<void> {
  await ask('shape.get', { name });
  await ask('shape.history', { name });
  await ask('thing.head', { shape: name, ...ALL });
  for (const where of ['n:eq:0', 'n:eq:1', 'label:eq:x', 'label:eq:y', 'label:prefix:x', 'room:exists']) {
    await ask('thing.query', { shape: name, where: [where], limit: 500 });
  }
}

async function readOther(ask: Ask, name: string): Promise<void> {
  await ask('thing.get', { wref: name, includeRetracted: true });
  await ask('thing.query', { about: name, ...ALL });
}

const HIDDEN = ['imported', 'importedRepoSeq', 'importing', 'createdAt', 'commitId', 'lastCommitAt', 'repository'];

/** Drops fields that differ in a copy. Indexes keep the order in which fields became indexed. */
function shown(value: unknown): unknown {
  const text = JSON.stringify(value, (key, member) => {
    if (HIDDEN.includes(key)) return undefined;
    return key === 'indexes' ? (member as { path: string }[]).toSorted((a, b) => (a.path < b.path ? -1 : 1)) : member;
  });
  return JSON.parse(text);
}
