// Sends commits in sequence, repeats each until it is acknowledged, and compares the answer with the sent operations.
import { randomUUID } from 'node:crypto';
import type { CommitResult } from '@cairn/sdk';
import { Author, type Step } from './author.ts';
import { type Submit, submitBy, type Way } from './submit.ts';
import { ask, type Place } from './world.ts';

export interface WriterOptions {
  readonly place: Place;
  readonly way: Way;
  readonly index: number;
}

const STEPS_MAX = 6;
const MORE = [
  ...['add', 'add', 'add', 'add', 'revise', 'revise', 'revise', 'retract'],
  ...['claim', 'claim', 'rename', 'arc'],
] as const;

export class CommitWriter {
  readonly #options: WriterOptions;
  readonly #author: Author;
  readonly #submit: Submit;
  #count = 0;

  constructor(options: WriterOptions) {
    const { place, way, index } = options;
    this.#options = options;
    this.#author = new Author({ model: place.model, random: place.world.random, id: `w${index}`, index });
    this.#submit = submitBy(way, place);
  }

  async step(): Promise<void> {
    const { place, way } = this.#options;
    const { world, model } = place;
    const steps = this.#compose();
    const message = `${this.#author.id}-${++this.#count}`;
    const changes = steps.flatMap(({ change }) => change ?? []);
    const sent = model.send({ message, changes, operationCount: steps.length });
    const operations = steps.map(({ operation }) => operation);
    const request = { message, submissionId: randomUUID(), operations };
    const result = await ask(world, `commit ${way}`, () => this.#submit(request));
    const problem = problemIn(result, steps);
    if (problem !== undefined) world.findings.add('answer', `${model.name}: commit ${message}: ${problem}`);
    model.acknowledgeCommit(sent, result.repoSeq);
  }

  /** Every commit includes a thing, so that every commit matches the subscriptions. */
  #compose(): Step[] {
    const { random } = this.#options.place.world;
    this.#author.begin();
    const first = random.once(2) ? this.#author.revise() : undefined;
    const steps = [first ?? this.#author.add()];
    for (let left = random.below(STEPS_MAX); left > 0; left--) {
      const step = this.#author[random.pick(MORE)]();
      if (step !== undefined) steps.push(step);
    }
    return steps;
  }
}

/** Expects that each operation was applied and made the next version. */
function problemIn({ repoSeq, partial, operations }: CommitResult, steps: readonly Step[]): string | undefined {
  if (!Number.isSafeInteger(repoSeq) || partial || operations.length !== steps.length) {
    return `it was told ${JSON.stringify({ repoSeq, partial, operations: operations.length })}`;
  }
  for (const [at, { status, version }] of operations.entries()) {
    const { record, version: sent } = steps[at]?.change ?? {};
    const expected = record && sent && record.versions.indexOf(sent) + 1;
    if (status !== 'applied' || (expected !== undefined && version !== expected)) {
      return `operation ${at} was told ${status} at version ${version}, and not applied at ${expected}`;
    }
  }
  return undefined;
}
