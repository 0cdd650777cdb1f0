// Compares the answers for one token with the owner's answers after filtering.

import { isDeepStrictEqual } from 'node:util';
import type { ErrorFields } from '@cairn/protocol/errors';
import type { Page } from '@cairn/protocol/page';
import { expect } from 'vitest';
import { type CallProcedure, caller } from '../procedure.ts';
import { type Answer, type Ask, type AskedName, asker, dataOf, parsedText, principalOf } from './ask.ts';
import type { OwnerView } from './owner-view.ts';
import type { NamedWref } from './query.ts';
import { Taint } from './taint.ts';
import type { WorldToken } from './token.ts';

/** More than the length of any list in a world. */
export const PAGES_MAX = 500;
/** One in this many questions is also asked over HTTP. */
const HTTP_EVERY = 25;

export class Comparison {
  reads = 0;
  hidden = 0;
  readonly #owner: OwnerView;
  readonly #token: WorldToken;
  readonly #taint: Taint;
  readonly #ask: Ask;
  readonly #http: CallProcedure;

  static async start(owner: OwnerView, token: WorldToken): Promise<Comparison> {
    const { store } = owner.world.options;
    return new Comparison(owner, token, asker(store, await principalOf(store, token.value)));
  }

  private constructor(owner: OwnerView, token: WorldToken, ask: Ask) {
    this.#owner = owner;
    this.#token = token;
    this.#ask = ask;
    this.#http = caller(owner.world.options.app, token.value);
    this.#taint = new Taint(token.oracle, owner.world.repositories);
  }

  /** Reads, counts, and searches the answer for hidden content. A refusal may repeat the input. */
  async read(name: AskedName, input: object): Promise<Answer> {
    this.reads += 1;
    const answer = await this.#ask(name, input);
    const { nextCursor } = answer.error === undefined ? (parsedText(answer) as Partial<Page<unknown>>) : {};
    const position = nextCursor === undefined ? '' : Buffer.from(nextCursor, 'base64url').subarray(32).toString();
    const text = answer.text.replace(String(nextCursor), '');
    const mayEcho = answer.error !== undefined || name === 'commit.validate';
    const asked = textsIn(input).toSorted((a, b) => b.length - a.length);
    const looked = mayEcho ? asked.reduce((rest, one) => rest.replaceAll(one, ''), text) : text;
    this.expectEqual(this.#taint.findIn(`${looked} ${position}`), [], { name, input, answer: answer.text });
    if (this.reads % HTTP_EVERY === 0) await this.#expectSameOverHttp(name, input, answer);
    return answer;
  }

  async #expectSameOverHttp(name: AskedName, input: object, { text, error }: Answer): Promise<void> {
    const { body } = await this.#http(name, input as never);
    const parsed = JSON.parse(body);
    const { status: _, ...refusal } = parsed.error?.data?.cairn ?? {};
    const got = error === undefined ? parsed.result?.data : refusal;
    this.expectEqual(got, JSON.parse(text), { name, input });
  }

  expectEqual(got: unknown, wanted: unknown, about: object): void {
    if (isDeepStrictEqual(got, wanted)) return;
    const { scopes, oracle } = this.#token;
    const parents = oracle.levels.length - 1;
    const { seed } = this.#owner.world.options;
    expect(got, JSON.stringify({ seed, scopes, parents, ...about }, null, 1)).toEqual(wanted);
  }

  #expectItems(got: readonly unknown[], wanted: readonly unknown[], about: object): void {
    const text = JSON.stringify(wanted);
    if (JSON.stringify(got) !== text) this.expectEqual(got, JSON.parse(text), about);
  }

  /** If the owner is refused, the token gets the same error. Otherwise it gets the filtered answer. */
  async compare<Name extends AskedName>(
    name: Name,
    input: object,
    filter: (full: ReturnType<typeof dataOf<Name>>) => unknown,
  ): Promise<void> {
    const full = await this.#owner.ask(name, input);
    const got = await this.read(name, input);
    const wanted = full.error === undefined ? filter(dataOf(name, full)) : this.#refusalFor(full.error, got);
    const text = JSON.stringify(wanted);
    if (full.text !== text) this.hidden += 1;
    if (got.text !== text) this.expectEqual(parsedText(got), JSON.parse(text), { name, input });
  }

  /** A hint with the new name of a renamed record is only for callers who may see it. */
  #refusalFor({ hint, ...refusal }: ErrorFields, got: Answer): ErrorFields {
    const isTold = hint !== undefined && !(hint.startsWith('It was renamed') && got.error?.hint === undefined);
    return isTold ? { ...refusal, hint } : refusal;
  }

  /** Expects the same bytes as for a missing record. */
  async expectMissing(name: AskedName, wref: NamedWref, inputFor: (text: string) => object): Promise<void> {
    const got = await this.read(name, inputFor(wref.text));
    const twin = await this.read(name, inputFor(wref.twin));
    this.expectEqual(got.text, twin.text.replaceAll(wref.twin, wref.text), { name, wref });
    // A wref with a version or into another repository cannot be compared, whether it exists or not.
    const isRefused = name === 'thing.diff' && got.error?.code === 'VALIDATION_ERROR';
    if (!isRefused) this.expectEqual(got.error?.code, 'NOT_FOUND', { name, wref });
    this.hidden += 1;
  }

  /** Reads all pages, each full except the last. Then reads one page with the owner's cursor. */
  async pages<Item>(
    name: AskedName,
    input: object,
    { limit, filter }: { limit: number; filter: (item: Item) => Item | undefined },
  ): Promise<void> {
    const full = await this.#owner.ask(name, { ...input, limit: PAGES_MAX });
    if (full.error !== undefined) return await this.compare(name, { ...input, limit }, (same) => same);
    const { items } = parsedText(full) as Page<Item>;
    const left = items.map(filter);
    const isLeft = (item: Item | undefined) => item !== undefined;
    if (JSON.stringify(left) !== JSON.stringify(items)) this.hidden += 1;
    await this.#walk(name, { ...input, limit }, left.filter(isLeft));
    const first = parsedText(await this.#owner.ask(name, { ...input, limit })) as Page<Item>;
    if (first.nextCursor === undefined) return;
    const rest = left.slice(limit).filter(isLeft).slice(0, limit);
    const got = await this.read(name, { ...input, limit, cursor: first.nextCursor });
    const { items: gotItems } = parsedText(got) as Page<Item>;
    this.#expectItems(gotItems, rest, { name, input, cursor: 'of the owner' });
  }

  async #walk(name: AskedName, input: { limit: number }, wanted: readonly unknown[]): Promise<void> {
    let cursor: string | undefined;
    for (let shown = 0; shown === 0 || cursor !== undefined; shown += input.limit) {
      const got = await this.read(name, { ...input, ...(cursor !== undefined && { cursor }) });
      const page = parsedText(got) as Page<unknown>;
      cursor = page.nextCursor;
      this.#expectItems(page.items, wanted.slice(shown, shown + input.limit), { name, input });
      this.expectEqual(cursor !== undefined, wanted.length > shown + input.limit, { name, input, shown });
    }
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
