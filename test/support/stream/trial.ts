// A trial: random operations go to one repository as a commit, and to another as the chunks of a stream. Both must get
// the same result, whatever happens to the chunks.
import type { CommitResult } from '@cairn/protocol/commit';
import type { CairnError } from '@cairn/protocol/errors';
import { expect } from 'vitest';
import { listVersions } from '../../../packages/server/src/read/record.sql.ts';
import { buildIndexes } from '../../../packages/server/src/shape/index-build.job.ts';
import type { Store } from '../../../packages/server/src/store.ts';
import { type LearnedShape, LineChecker } from '../../../packages/server/src/stream/line-checker.rule.ts';
import { readStream } from '../../../packages/server/src/stream/stream.sql.ts';
import type { ChunkInput, WrittenChunk } from '../../../packages/server/src/stream/stream-chunk.write.ts';
import { addTestRepository, commitInput, readableOf, refreshed, type TestRepository } from '../repository.ts';
import { chunkInput, linesOf, STREAM } from '../stream.ts';
import { verifyRepository } from '../verify.ts';
import { type ChunkIntent, FAR, POOL, START, type StreamIntent } from './intent.ts';

type Line = StreamIntent['lines'][number];

export class StreamTrial {
  readonly #whole: TestRepository;
  readonly #streamed: TestRepository;
  readonly #readable: ChunkInput['readable'];
  /** Shapes reach the line checker one chunk late, as in a server. */
  readonly #checker = new LineChecker();
  readonly #learned: (readonly LearnedShape[])[] = [[]];
  #offset = 0;
  #otherOffset = 0;

  private constructor(whole: TestRepository, streamed: TestRepository, far: TestRepository) {
    this.#whole = whole;
    this.#streamed = streamed;
    this.#readable = [readableOf(far)];
  }

  static async far(store: Store): Promise<TestRepository> {
    const far = await addTestRepository(store, 'far');
    await far.commit(FAR);
    return far;
  }

  static async start(far: TestRepository, name: string): Promise<StreamTrial> {
    const repositories = [];
    for (const part of ['whole', 'streamed']) {
      const repository = await addTestRepository(far.store, `${name}-${part}`);
      await repository.commit(START);
      repositories.push(repository);
    }
    const [whole, streamed] = repositories as [TestRepository, TestRepository];
    return new StreamTrial(whole, streamed, far);
  }

  async run({ lines, chunks }: StreamIntent): Promise<void> {
    const outcomes = await this.#commit(lines);
    const ways = chunks.values();
    while (this.#offset < lines.length) {
      const { value = { lineCount: lines.length, way: 'plain' } } = ways.next();
      await this.#send(lines, outcomes, value);
      const status = await readStream(this.#streamed.store.database, this.#streamed.grant, STREAM);
      expect(status).toMatchObject({ offset: this.#offset, ...countsOf(outcomes.slice(0, this.#offset)) });
    }
    await this.#close();
    await this.#expectSame();
  }

  async #commit(lines: readonly Line[]): Promise<readonly string[]> {
    const operations = lines.filter(isOperation);
    if (operations.length === 0) return lines.map(() => '');
    const order = { atomic: false, readable: this.#readable };
    const { operations: results }: CommitResult = await this.#whole.commit(operations, order);
    const left = results.values();
    return lines.map((line) => {
      if (!isOperation(line)) return '';
      const { value } = left.next();
      return value?.error?.code ?? value?.status ?? '';
    });
  }

  async #send(lines: readonly Line[], outcomes: readonly string[], { lineCount, way }: ChunkIntent): Promise<void> {
    const offset = this.#offset;
    const end = offset + lineCount;
    const text = textOf(lines.slice(offset, end));
    const conflict = { code: 'CONFLICT', details: { reason: 'offset', offset } };
    if (way === 'again' && offset > 0) {
      const from = Math.max(0, offset - lineCount);
      expect(await this.#refused(textOf(lines.slice(from, offset)), { offset: from })).toMatchObject(conflict);
    }
    if (way === 'ahead') expect(await this.#refused(text, { offset: offset + 1 })).toMatchObject(conflict);
    if (way === 'empty') expect(await this.#apply('')).toMatchObject({ stream: { offset }, applied: 0, error: 0 });
    if (way === 'other') await this.#sendToOther();
    const expected = outcomes.slice(offset, end);
    if (way === 'whole' && expected.some(isError)) {
      const refused = await this.#refused(text, { atomic: true });
      expect(isMeant(expected.find(isError) ?? '', (refused as CairnError).code)).toBe(true);
    }
    const found = await this.#apply(way === 'broken' ? `${text}{"name":\n${text}` : text);
    this.#expectOutcomes(lines, { expected, found });
    this.#offset += expected.length;
    expect(found.stream.offset).toBe(this.#offset);
  }

  /** The codes of the refused lines, and the counts of applied and unchanged lines. */
  #expectOutcomes(
    lines: readonly Line[],
    { expected, found }: { expected: readonly string[]; found: WrittenChunk },
  ): void {
    const { applied, noop, error, errors } = found;
    const told = new Map(errors.map(({ line, code }) => [line - this.#offset - 1, code as string]));
    const shown = (codes: readonly (string | undefined)[]) =>
      codes.map((code, index) => `${code}: ${JSON.stringify(lines[this.#offset + index])}`);
    const codes = expected.map((_, index) => told.get(index));
    const meant = expected.map((code, index) =>
      isError(code) ? (isMeant(code, codes[index]) ? codes[index] : code) : undefined,
    );
    expect(shown(codes)).toEqual(shown(meant));
    expect({ applied, noop, error }).toEqual(countsOf(expected));
  }

  /** Each stream has its own offset and tokens. */
  async #sendToOther(): Promise<void> {
    const lines = linesOf([
      { operation: 'revise', name: 'Room/nowhere', data: {} },
      { operation: 'retract', name: '#1' },
    ]);
    const found = await this.#apply(lines, { streamId: 'other', offset: this.#otherOffset });
    expect(found.errors.map(({ code }) => code)).toEqual(['NOT_FOUND', 'UNRESOLVED_TOKEN']);
    this.#otherOffset += 2;
  }

  async #close(): Promise<void> {
    const { store, grant } = this.#streamed;
    await store.write.closeStream({ grant, ...STREAM, now: Date.now() });
    const closed = { code: 'CONFLICT', details: { reason: 'closed' } };
    expect(await this.#refused(linesOf([{ name: 'Room/late', data: {} }]))).toMatchObject(closed);
    while (!(await store.write.forgetPlaceholders({ grant, ...STREAM, placeholdersMax: 2 })));
  }

  async #apply(text: string, options: Partial<ChunkInput> = {}) {
    const { store, grant } = this.#streamed;
    const { skipExisting, limits, committer } = commitInput(grant, []);
    const bytes = new TextEncoder().encode(text);
    const learned = this.#learned.shift() ?? [];
    const lines = this.#checker.check({ repoId: grant.repoId, bytes, skipExisting, limits, committer, learned });
    const order = { lines, readable: this.#readable, offset: this.#offset, ...options };
    const found = await store.write.applyChunk(chunkInput(this.#streamed, '', order));
    this.#learned.push(found.learned);
    return found;
  }

  async #refused(text: string, options: Partial<ChunkInput> = {}): Promise<unknown> {
    return await this.#apply(text, options).catch((error: unknown) => error);
  }

  async #expectSame(): Promise<void> {
    const [whole, streamed] = [await refreshed(this.#whole), await refreshed(this.#streamed)];
    expect(await historyOf(streamed)).toEqual(await historyOf(whole));
    for (const { store, grant } of [whole, streamed]) {
      await buildIndexes(store);
      expect(await verifyRepository(store, grant.repoId)).toEqual([]);
    }
  }
}

const isOperation = (line: Line) => typeof line !== 'string';
const textOf = (lines: readonly Line[]) =>
  lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('');
const isError = (outcome: string) => /^[A-Z]/.test(outcome);

function countsOf(outcomes: readonly string[]): Record<'applied' | 'noop' | 'error', number> {
  const count = (wanted: (outcome: string) => boolean) => outcomes.filter(wanted).length;
  return { applied: count((one) => one === 'applied'), noop: count((one) => one === 'noop'), error: count(isError) };
}

/** The reason for a missing name is known only within the commit of the failed operation. */
function isMeant(code: string, found: string | undefined): boolean {
  return found === code || (code === 'DEPENDENCY_FAILED' && /NOT_FOUND$/.test(found ?? ''));
}

/** Every version of every record as read. Names made by the server are replaced by their record. */
async function historyOf({ store, grant }: TestRepository): Promise<unknown[]> {
  const rows = await store.database.query<{ record_id: number }>(
    'select record_id from record where repo_id = $1 order by record_id',
    [grant.repoId],
  );
  const page = { atRepoSeq: grant.repository.repoSeq, before: undefined, limit: 100, maxBytes: 1e9 };
  const names = new Map<string, string>();
  const histories = [];
  for (const { record_id: recordId } of rows) {
    const items = await listVersions(store.database, grant, { ...page, recordId });
    for (const { name } of items) if (!POOL.has(name)) names.set(name, `~${recordId}`);
    histories.push(
      items.map(({ kind, name, shapeName, version, active, aboutWref, data }) => ({
        ...{ recordId, kind, name, shapeName, version, active, aboutWref, data },
      })),
    );
  }
  return histories.map((history) => JSON.parse(JSON.stringify(history), (_, value) => withoutMade(value, names)));
}

function withoutMade(value: unknown, names: ReadonlyMap<string, string>): unknown {
  if (typeof value !== 'string') return value;
  const [name = '', pin] = value.split('@');
  const made = names.get(name);
  if (made === undefined) return value;
  return pin === undefined ? made : `${made}@${pin}`;
}
