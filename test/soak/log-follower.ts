// Follows the log: no sequence is missing, every commit in it was sent, and none is there twice.
import type { CommitRecord } from '@cairn/sdk';
import { STREAM_MESSAGE } from './stream-writer.ts';
import { ask, type Place } from './world.ts';

export const SET_UP_MESSAGE = 'set up';
const PAGE = 200;

export class LogFollower {
  readonly #place: Place;
  throughSeq = 0;

  constructor(place: Place) {
    this.#place = place;
  }

  async step(): Promise<void> {
    const { world, model } = this.#place;
    const { head } = model;
    const commits = await ask(world, 'log', () => this.#newOnes());
    for (const commit of commits) this.look(commit);
    if (this.throughSeq < head) {
      world.findings.add('lost', `${model.name}: the log ends at ${this.throughSeq}, and ${head} was told`);
    }
  }

  async #newOnes(): Promise<CommitRecord[]> {
    const { world, model } = this.#place;
    const found: CommitRecord[] = [];
    for await (const commit of world.client.commit.log(model.orgName, model.repoName, { limit: PAGE })) {
      if (commit.repoSeq <= this.throughSeq) break;
      found.push(commit);
    }
    return found.reverse();
  }

  /** Checks one entry. Entries must come in log order. */
  look({ repoSeq, message, operationCount }: CommitRecord): void {
    const { model, world } = this.#place;
    if (repoSeq !== this.throughSeq + 1) {
      world.findings.add('sequence', `${model.name}: ${repoSeq} follows ${this.throughSeq} in the log`);
    }
    this.throughSeq = repoSeq;
    if (message === STREAM_MESSAGE || message === SET_UP_MESSAGE) return;
    const sent = model.commits.get(message ?? '');
    const said = `${model.name}: ${message}, at ${repoSeq} with ${operationCount} operations`;
    if (sent === undefined) {
      world.findings.add('phantom', `${said}, was never sent`);
      return;
    }
    if (sent.operationCount !== operationCount) {
      world.findings.add('changed', `${said}, was sent with ${sent.operationCount}`);
    }
    if (sent.loggedAt !== undefined) world.findings.add('phantom', `${said}, is at ${sent.loggedAt} too`);
    else if (sent.repoSeq !== undefined && sent.repoSeq !== repoSeq) {
      world.findings.add('sequence', `${said}, was told ${sent.repoSeq}`);
    }
    sent.loggedAt = repoSeq;
  }

  /** At the end of the run: the log has every acknowledged commit. */
  expectAll(): void {
    const { world, model } = this.#place;
    for (const { message, repoSeq, loggedAt } of model.commits.values()) {
      if (repoSeq !== undefined && loggedAt === undefined) {
        world.findings.add('lost', `${model.name}: ${message} was told ${repoSeq}, and the log does not have it`);
      }
    }
  }
}
