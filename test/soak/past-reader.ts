// Reads of the past: each matches the commits up to its sequence, and a repeated read gives the same text.
import { CairnError } from '@cairn/sdk';
import { pickRecord } from './reader.ts';
import { boundsAt, problemInList, problemOf, type Seen } from './sight.ts';
import { ask, type Place } from './world.ts';

/** An answered question whose answer must never change. */
interface Remembered {
  readonly question: string;
  readonly again: () => Promise<unknown>;
  readonly text: string;
}

const REMEMBERED_MAX = 500;
const PAGE = 20;

export class PastReader {
  readonly #place: Place;
  readonly #remembered: Remembered[] = [];

  constructor(place: Place) {
    this.#place = place;
  }

  async step(): Promise<void> {
    const { random } = this.#place.world;
    const steps = [() => this.#one(), () => this.#one(), () => this.#page(), () => this.#count(), () => this.#again()];
    await random.pick(steps)();
  }

  async askAllAgain(): Promise<void> {
    for (const remembered of this.#remembered) await this.#compare(remembered);
  }

  get #somewhere(): number {
    const { world, model } = this.#place;
    return 1 + world.random.below(Math.max(1, model.head));
  }

  async #one(): Promise<void> {
    const { world, model } = this.#place;
    const record = pickRecord(this.#place);
    const { durableId } = record ?? {};
    if (record === undefined || durableId === undefined) return;
    const atRepoSeq = this.#somewhere;
    const read = () => this.#readOne(durableId, atRepoSeq);
    const seen = await ask(world, 'past', read);
    const bounds = boundsAt(record, atRepoSeq);
    if (seen !== undefined) world.findings.addFinding(problemOf(record, seen, bounds));
    else if (bounds.least > 0) world.findings.add('lost', `${model.name}: ${record.key} was not there at ${atRepoSeq}`);
    this.#remember({ question: `${record.key} at ${atRepoSeq}`, again: read, text: textOf(seen) });
  }

  async #readOne(wref: string, atRepoSeq: number): Promise<Seen | undefined> {
    const { world, model } = this.#place;
    try {
      return await world.client.thing.get(model.orgName, model.repoName, wref, { atRepoSeq, includeRetracted: true });
    } catch (error) {
      if (error instanceof CairnError && error.code === 'NOT_FOUND') return undefined;
      throw error;
    }
  }

  async #page(): Promise<void> {
    const { world, model } = this.#place;
    const atRepoSeq = this.#somewhere;
    const options = { shape: 'Item', atRepoSeq, order: '-updated', limit: PAGE } as const;
    const read = () => world.client.thing.head(model.orgName, model.repoName, options).page();
    const { repoSeq, items } = await ask(world, 'past list', read);
    for (const item of items) world.findings.addFinding(problemInList(model, item, repoSeq));
    this.#remember({
      question: `the list at ${atRepoSeq}`,
      again: async () => (await read()).items,
      text: textOf(items),
    });
  }

  /** Compares the number of things with the lower and upper bound from the model. */
  async #count(): Promise<void> {
    const { world, model } = this.#place;
    const atRepoSeq = this.#somewhere;
    const options = { shape: 'Item', atRepoSeq, includeRetracted: true };
    const read = () => world.client.thing.count(model.orgName, model.repoName, options);
    const { count } = await ask(world, 'past count', read);
    const bounds = model.list.filter(({ kind }) => kind === 'thing').map((record) => boundsAt(record, atRepoSeq));
    const [least, most] = (['least', 'most'] as const).map((end) => bounds.filter((one) => one[end] > 0).length);
    if (count < (least ?? 0) || count > (most ?? 0)) {
      const said = `${count} things at ${atRepoSeq}, and there were ${least} to ${most}`;
      world.findings.add(count < (least ?? 0) ? 'lost' : 'phantom', `${model.name}: ${said}`);
    }
    this.#remember({
      question: `the count at ${atRepoSeq}`,
      again: async () => (await read()).count,
      text: textOf(count),
    });
  }

  /** An acknowledged sequence is complete, so a read at that sequence stays valid. */
  #remember(remembered: Remembered): void {
    if (this.#remembered.length < REMEMBERED_MAX) this.#remembered.push(remembered);
    else this.#remembered[this.#place.world.random.below(REMEMBERED_MAX)] = remembered;
  }

  async #again(): Promise<void> {
    if (this.#remembered.length > 0) await this.#compare(this.#place.world.random.pick(this.#remembered));
  }

  async #compare({ question, again, text }: Remembered): Promise<void> {
    const { world, model } = this.#place;
    const now = textOf(await ask(world, 'past again', again));
    if (now !== text) world.findings.add('changed', `${model.name}: ${question} was ${text}, and is ${now}`);
  }
}

const textOf = (value: unknown) => JSON.stringify(value) ?? 'nothing';
