// Clients that write and read while something is killed, and remember every acknowledgment.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Random } from '../support/random.ts';
import { TEST_SEED } from '../support/seed.ts';
import { amount } from '../support/suite.ts';

const TRY_AGAIN_MS = 20;
/** Pause between requests of one client, which leaves the machine time for other work. */
const PAUSE_MS = amount('LOAD_PAUSE_MS', { short: 50, long: 0 });

export const REPO = { orgName: 'ada', repoName: 'world' };

interface Answer {
  readonly status: number;
  readonly body: { result?: { data: Record<string, unknown> }; error?: { data: { code: string } } };
}

/** Clients that send each request separately, retry by themselves, and record wrong answers. */
export class Load {
  readonly acknowledged = new Map<string, number>();
  readonly wrong: string[] = [];
  readonly random = new Random(TEST_SEED);
  going = true;
  /** True while a server may answer without knowing that it is out of date. New records may be missing there. */
  mayBeBehind = false;
  /** Time of the last success of each kind, and the longest gap since the last reset. */
  readonly lastAt = { write: performance.now(), read: performance.now() };
  readonly longestMs = { write: 0, read: 0 };
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  async write(writer: number): Promise<void> {
    for (let n = 0; this.going; n++) {
      const name = `Step/${writer}-${n}`;
      const operations = [{ operation: 'add', name, data: { n } }];
      const input = { ...REPO, submissionId: randomUUID(), operations };
      const data = await this.#ask('write', 'commit.submit', input);
      const repoSeq = Number(data.repoSeq);
      if (!Number.isSafeInteger(repoSeq)) this.wrong.push(`${name} was told ${JSON.stringify(data)}`);
      this.acknowledged.set(name, repoSeq);
      await pause(PAUSE_MS);
    }
  }

  async read(): Promise<void> {
    while (this.going) {
      const names = [...this.acknowledged.keys()];
      if (names.length === 0) {
        await pause(TRY_AGAIN_MS);
        continue;
      }
      const name = this.random.pick(names);
      const data = await this.#ask('read', 'thing.get', { ...REPO, wref: name });
      const n = Number(name.split('-')[1]);
      if (data.name !== name || (data.data as { n: number }).n !== n) {
        this.wrong.push(`${name} was read as ${JSON.stringify(data)}`);
      }
      await pause(PAUSE_MS);
    }
  }

  async #ask(kind: 'write' | 'read', procedure: string, input: object): Promise<Record<string, unknown>> {
    for (;;) {
      const mayBeBehind = this.mayBeBehind && kind === 'read';
      const answer = await this.#send(procedure, input).catch(() => undefined);
      const data = answer?.body.result?.data;
      if (answer?.status === 200 && data !== undefined) {
        const now = performance.now();
        this.longestMs[kind] = Math.max(this.longestMs[kind], now - this.lastAt[kind]);
        this.lastAt[kind] = now;
        return data;
      }
      // Only a cut connection or a 503 is allowed here; the client retries both.
      if (answer !== undefined && answer.status !== 503 && !(mayBeBehind && answer.status === 404)) {
        this.wrong.push(`${procedure} ${JSON.stringify(input)} was answered ${JSON.stringify(answer)}`);
        return {};
      }
      await pause(TRY_AGAIN_MS);
    }
  }

  async #send(procedure: string, input: object): Promise<Answer> {
    const answer = await fetch(`${this.#url}/trpc/${procedure}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      body: JSON.stringify(input),
    });
    return { status: answer.status, body: (await answer.json()) as Answer['body'] };
  }
}
