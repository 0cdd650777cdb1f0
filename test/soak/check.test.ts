// The checks of a soak find errors: each gets an answer that a correct server would not give.
import { CairnError, type CommitRecord } from '@cairn/sdk';
import { beforeEach, describe, expect, it } from 'vitest';
import { Random } from '../support/random.ts';
import { Author } from './author.ts';
import { contentOf } from './content.ts';
import { type FindingCounts, Findings } from './finding.ts';
import { Listener } from './listener.ts';
import { LogFollower, SET_UP_MESSAGE } from './log-follower.ts';
import { Meter } from './meter.ts';
import { type Delivery, Receiver } from './receiver.ts';
import { type KnownRecord, RepositoryModel } from './repository-model.ts';
import { boundsAt, problemInList, type Seen } from './sight.ts';
import { ask, type World } from './world.ts';

let findings: Findings;
let model: RepositoryModel;
let author: Author;

beforeEach(() => {
  findings = new Findings();
  model = new RepositoryModel({ orgName: 'acme', repoName: 'world', findings });
  author = new Author({ model, random: new Random(1), id: 'w0', index: 0 });
});

function committed(repoSeq: number): KnownRecord {
  author.begin();
  const { change } = author.add();
  if (change === undefined) throw new Error('an add changes something');
  const sent = model.send({ message: `m${repoSeq}`, changes: [change], operationCount: 1 });
  model.acknowledgeCommit(sent, repoSeq);
  return change.record;
}

function revised(repoSeq: number | undefined): KnownRecord {
  author.begin();
  const { change } = author.revise() ?? {};
  if (change === undefined) throw new Error('there is one to revise');
  const sent = model.send({ message: `r${repoSeq}`, changes: [change], operationCount: 1 });
  if (repoSeq !== undefined) model.acknowledgeCommit(sent, repoSeq);
  return change.record;
}

function seen({ key, names, versions }: KnownRecord, version: number): Seen {
  const { n = 0, active = true, upTo = 0 } = versions[version - 1] ?? {};
  return { name: names.at(-1) ?? '', version, active, repoSeq: upTo, data: contentOf(key, n), durableId: `id-${key}` };
}

describe('a record that is read', () => {
  it('is right as it was sent, at each sequence', () => {
    const record = committed(2);
    revised(4);
    expect([1, 2, 3, 4].map((seq) => boundsAt(record, seq).least)).toEqual([0, 1, 1, 2]);
    expect([2, 3].map((seq) => problemInList(model, seen(record, 1), seq))).toEqual([undefined, undefined]);
    expect(problemInList(model, seen(record, 2), 4)).toBeUndefined();
  });

  it('may be at what is under way, and need not', () => {
    const record = committed(2);
    revised(undefined);
    const next = { ...seen(record, 2), repoSeq: 3 };
    expect(problemInList(model, seen(record, 1), 3)).toBeUndefined();
    expect(problemInList(model, next, 3)).toBeUndefined();
  });

  it.each<[string, (right: Seen) => Seen, number, string]>([
    ['an older version than was acknowledged', (right) => ({ ...right, version: 1 }), 4, 'lost'],
    ['a version of the future', (right) => right, 3, 'phantom'],
    ['a version that nobody sent', (right) => ({ ...right, version: 3 }), 4, 'phantom'],
    ['other data', (right) => ({ ...right, data: { ...(right.data as object), n: 7 } }), 4, 'changed'],
    ['retracted', (right) => ({ ...right, active: false }), 4, 'changed'],
    ['another name', (right) => ({ ...right, name: 'Item/other' }), 4, 'changed'],
    ['another sequence', (right) => ({ ...right, repoSeq: 3 }), 4, 'sequence'],
    ['a record that nobody sent', (right) => ({ ...right, data: { n: 1, label: 'moss w9x0000001' } }), 4, 'phantom'],
  ])('is found out as %s', (_, wrong, atSeq, kind) => {
    const record = committed(2);
    revised(4);
    expect(problemInList(model, wrong(seen(record, 2)), atSeq)).toMatchObject({ kind });
  });

  it('is found out with another identity than before', () => {
    const record = committed(2);
    problemInList(model, seen(record, 1), 2);
    expect(problemInList(model, { ...seen(record, 1), durableId: 'other' }, 2)).toMatchObject({ kind: 'changed' });
  });
});

describe('a commit', () => {
  it('is found out when it is told a sequence that was there before it was sent', () => {
    committed(5);
    committed(5);
    expect(findings.counts).toMatchObject({ sequence: 1 });
  });
});

describe('a listener', () => {
  const told = (repoSeq: number, ...affectedRecords: string[]) => ({
    ...{ topic: 'repo' as const, repoSeq, affectedRecords },
    ...{ affectedShapes: [], affectedTargets: [] },
  });

  function listening(): Listener {
    const listener = new Listener({ world: { findings }, model });
    listener.begin(1);
    return listener;
  }

  it('is content with events that are in order and complete, also merged ones', () => {
    const listener = listening();
    const [a, b, c] = [committed(2), committed(3), committed(4)];
    listener.hear(told(2, ...a.names));
    listener.hear(told(4, ...b.names, ...c.names));
    listener.settle();
    expect(findings.sentences).toEqual([]);
  });

  it('finds a change that is not told, or in another event', () => {
    const listener = listening();
    const [a, b] = [committed(2), committed(3)];
    listener.hear(told(2, ...b.names));
    listener.hear(told(3, ...a.names));
    listener.settle();
    expect(findings.counts).toMatchObject({ live: 2 });
  });

  it('is content with an event that has no room for all names', () => {
    const listener = listening();
    committed(2);
    listener.hear({ ...told(2), truncated: true });
    listener.settle();
    expect(findings.sentences).toEqual([]);
  });

  it('finds events out of order, and the end that is not told', async () => {
    const listener = listening();
    const record = committed(2);
    listener.hear(told(2, ...record.names));
    listener.hear(told(2, ...record.names));
    committed(3);
    await listener.hearAll(0);
    expect(findings.counts).toMatchObject({ live: 2 });
  });
});

describe('a receiver', () => {
  it('knows what it was not told, and finds what was never sent', async () => {
    const receiver = await Receiver.start({ findings, random: new Random(1), report: async () => {} });
    try {
      const record = committed(2);
      committed(3);
      const { name, version, data } = seen(record, 1);
      const told = { operation: 'add', wref: name, version, data };
      const delivery: Delivery = { runId: 'r', subscriptionName: 'first', repoSeq: 2, matchedOperations: [told] };
      receiver.take({ model, delivery });
      expect(findings.sentences).toEqual([]);
      expect(receiver.missing(model, { subscription: 'first', since: 1 })).toEqual([3]);
      receiver.take({ model, delivery: { ...delivery, repoSeq: 3 } });
      receiver.take({ model, delivery: { ...delivery, matchedOperations: [{ ...told, version: 2 }] } });
      expect(findings.counts).toMatchObject({ delivery: 1, phantom: 1 });
    } finally {
      receiver.stop();
    }
  });
});

describe('the log', () => {
  const entry = (repoSeq: number, message: string, operationCount = 1): CommitRecord => ({
    ...{ repoSeq, message, operationCount },
    ...{ commitId: null, createdBy: 'user:ada', createdAt: 1 },
  });

  it('is right when it is dense, and has what was sent, once', () => {
    committed(2);
    const follower = new LogFollower({ world: { findings } as World, model });
    for (const one of [entry(1, SET_UP_MESSAGE), entry(2, 'm2')]) follower.look(one);
    follower.expectAll();
    expect(findings.sentences).toEqual([]);
  });

  it.each<[string, CommitRecord[], Partial<FindingCounts>]>([
    ['a gap', [entry(1, SET_UP_MESSAGE), entry(3, 'm2')], { sequence: 2 }],
    ['a commit that nobody sent', [entry(1, 'other'), entry(2, 'm2')], { phantom: 1 }],
    ['a commit that is there twice', [entry(1, 'm2'), entry(2, 'm2')], { sequence: 1, phantom: 1 }],
    ['a part of a commit', [entry(1, SET_UP_MESSAGE), entry(2, 'm2', 0)], { changed: 1 }],
    ['a commit that is gone', [entry(1, SET_UP_MESSAGE)], { lost: 1 }],
  ])('is found out with %s', (_, log, counts) => {
    committed(2);
    const follower = new LogFollower({ world: { findings } as World, model });
    for (const one of log) follower.look(one);
    follower.expectAll();
    expect(findings.counts).toMatchObject(counts);
  });
});

describe('who asks', () => {
  const world = () => ({ meter: new Meter(), signal: new AbortController().signal });

  it('tries again what says so, and throws the rest', async () => {
    const asking = world();
    const answers = [new CairnError('UNAVAILABLE', { message: 'later' }), 'done'];
    const call = async () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    };
    expect(await ask(asking, 'get', call)).toBe('done');
    expect(asking.meter.whole().get).toMatchObject({ answered: 1, triedAgain: 1 });
    const refused = new CairnError('NOT_FOUND', { message: 'nowhere' });
    await expect(ask(asking, 'get', () => Promise.reject(refused))).rejects.toBe(refused);
  });

  it('waits no longer when the run is given up', async () => {
    const asking = { meter: new Meter(), signal: AbortSignal.abort(new Error('given up')) };
    await expect(ask(asking, 'get', async () => 'done')).rejects.toThrow('given up');
  });
});
