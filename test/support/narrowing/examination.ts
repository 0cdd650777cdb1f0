// One token asks all questions about a world. Each answer is held against what the oracle leaves of the owner's answer.

import { isDeepStrictEqual } from 'node:util';
import type { OperationResult } from '@cairn/protocol/commit';
import type { ErrorFields } from '@cairn/protocol/errors';
import type { Page } from '@cairn/protocol/page';
import type { NameItem, RecordChange, ReferenceItem } from '@cairn/protocol/read';
import type { RecordItem } from '@cairn/protocol/record';
import { expect } from 'vitest';
import { type CallProcedure, caller } from '../procedure.ts';
import { type Answer, type Ask, type AskedName, asker, dataOf, parsedText, principalOf } from './ask.ts';
import { AnswerFilter, type ReadCommit } from './filter.ts';
import type { OwnerView } from './owner-view.ts';
import {
  type ChangesQuery,
  commitOf,
  type DiffQuery,
  type GetQuery,
  type GraphQuery,
  type HistoryQuery,
  inputOf,
  type LogQuery,
  type ManyQuery,
  type NamedWref,
  type NamesQuery,
  type PlacesQuery,
  type Query,
  type RecordQuery,
  type ReferQuery,
  type RefsQuery,
  relationInput,
  relationName,
  type ShapesQuery,
} from './query.ts';
import { addressOf, headOf, type WorldRepository } from './record.ts';
import { RelationFilter } from './relation.ts';
import { Taint } from './taint.ts';
import type { WorldToken } from './token.ts';

const PAGES_MAX = 500;
/** Which share of the questions is asked over HTTP as well: one in so many. */
const HTTP_EVERY = 25;

export class Examination {
  reads = 0;
  /** Of them, those in which the owner sees more. */
  hidden = 0;
  readonly #owner: OwnerView;
  readonly #token: WorldToken;
  readonly #filter: AnswerFilter;
  readonly #relations: RelationFilter;
  readonly #taint: Taint;
  readonly #ask: Ask;
  readonly #http: CallProcedure;

  static async start(owner: OwnerView, token: WorldToken): Promise<Examination> {
    const { store } = owner.world.options;
    return new Examination(owner, token, asker(store, await principalOf(store, token.value)));
  }

  private constructor(owner: OwnerView, token: WorldToken, ask: Ask) {
    this.#owner = owner;
    this.#token = token;
    this.#ask = ask;
    this.#http = caller(owner.world.options.app, token.value);
    this.#filter = new AnswerFilter(token.oracle, owner.byId);
    this.#relations = new RelationFilter(owner, { token: token.oracle, filter: this.#filter });
    this.#taint = new Taint(token.oracle, owner.world.repositories);
  }

  async answer(query: Query): Promise<void> {
    if ('repo' in query && !this.#token.oracle.reads(query.repo)) {
      // Once is enough: what counts is what those get who read some of it.
      return query.do === 'repo' ? await this.#expectNoRepository(query.repo) : undefined;
    }
    switch (query.do) {
      case 'get':
        return await this.#get(query);
      case 'history':
        return await this.#history(query);
      case 'names':
        return await this.#names(query);
      case 'refs':
      case 'graph':
      case 'diff':
        return await this.#relation(query);
      case 'changes':
        return await this.#changes(query);
      case 'many':
        return await this.#many(query);
      case 'shapes':
        return await this.#shapes(query);
      case 'commit':
        return await this.#commit(query.repo, query.repoSeq);
      case 'log':
        return await this.#log(query);
      case 'refer':
        return await this.#refer(query);
      case 'places':
        return await this.#places(query);
      case 'repo':
        return await this.#compare('repo.get', addressOf(query.repo), (full) => full);
    }
  }

  /** Counted, and looked through for what must not be in it; what was asked for may stand in a refusal. */
  async #read(name: AskedName, input: object): Promise<Answer> {
    this.reads += 1;
    const answer = await this.#ask(name, input);
    const { nextCursor } = answer.error === undefined ? (parsedText(answer) as Partial<Page<unknown>>) : {};
    const position = nextCursor === undefined ? '' : Buffer.from(nextCursor, 'base64url').subarray(32).toString();
    const text = answer.text.replace(String(nextCursor), '');
    const mayEcho = answer.error !== undefined || name === 'commit.validate';
    const asked = textsIn(input).toSorted((a, b) => b.length - a.length);
    const looked = mayEcho ? asked.reduce((rest, one) => rest.replaceAll(one, ''), text) : text;
    this.#expectEqual(this.#taint.findIn(`${looked} ${position}`), [], { name, input, answer: answer.text });
    if (this.reads % HTTP_EVERY === 0) await this.#expectSameOverHttp(name, input, answer);
    return answer;
  }

  async #expectSameOverHttp(name: AskedName, input: object, { text, error }: Answer): Promise<void> {
    const { body } = await this.#http(name, input as never);
    const parsed = JSON.parse(body);
    const { status: _, ...refusal } = parsed.error?.data?.cairn ?? {};
    const got = error === undefined ? parsed.result?.data : refusal;
    this.#expectEqual(got, JSON.parse(text), { name, input });
  }

  #expectEqual(got: unknown, wanted: unknown, about: object): void {
    if (isDeepStrictEqual(got, wanted)) return;
    const { scopes, oracle } = this.#token;
    const parents = oracle.levels.length - 1;
    const { seed } = this.#owner.world.options;
    expect(got, JSON.stringify({ seed, scopes, parents, ...about }, null, 1)).toEqual(wanted);
  }

  /** Most have the same text, which is seen soonest. */
  #expectItems(got: readonly unknown[], wanted: readonly unknown[], about: object): void {
    const text = JSON.stringify(wanted);
    if (JSON.stringify(got) !== text) this.#expectEqual(got, JSON.parse(text), about);
  }

  /** Where the owner is refused, the token is in the same words; else it gets what the filter leaves. */
  async #compare<Name extends AskedName>(
    name: Name,
    input: object,
    filter: (full: ReturnType<typeof dataOf<Name>>) => unknown,
  ): Promise<void> {
    const full = await this.#owner.ask(name, input);
    const got = await this.#read(name, input);
    const wanted = full.error === undefined ? filter(dataOf(name, full)) : this.#refusalFor(full.error, got);
    const text = JSON.stringify(wanted);
    if (full.text !== text) this.hidden += 1;
    if (got.text !== text) this.#expectEqual(parsedText(got), JSON.parse(text), { name, input });
  }

  /** What a record is called since it was renamed is not told to everyone; to who is, in the same words. */
  #refusalFor({ hint, ...refusal }: ErrorFields, got: Answer): ErrorFields {
    const isTold = hint !== undefined && !(hint.startsWith('It was renamed') && got.error?.hint === undefined);
    return isTold ? { ...refusal, hint } : refusal;
  }

  async #expectNoRepository(repo: WorldRepository): Promise<void> {
    const about = { repo: addressOf(repo) };
    for (const name of ['repo.get', 'shape.list', 'commit.log'] as const) {
      const got = await this.#read(name, addressOf(repo));
      this.#expectEqual(got.error?.code, 'NOT_FOUND', about);
      const missing = await this.#read(name, { ...addressOf(repo), repoName: 'nothing' });
      this.#expectEqual(got.text, missing.text, about);
    }
  }

  /** The record that a text names for the owner, and whether the token is to see it. */
  async #lookUp(query: RecordQuery): Promise<{ item: RecordItem; seq: number; isHidden: boolean } | undefined> {
    const { repo, atRepoSeq, wref } = query;
    const when = atRepoSeq === undefined ? {} : { atRepoSeq };
    const full = await this.#owner.ask('thing.get', {
      ...addressOf(repo),
      wref: wref.text,
      includeRetracted: true,
      ...when,
    });
    if (full.error !== undefined) return undefined;
    const item = dataOf('thing.get', full);
    const { repo: from } = this.#filter.recordOf(item.durableId);
    const seq = from === repo ? (atRepoSeq ?? headOf(repo)) : headOf(from);
    return { item, seq, isHidden: !this.#filter.shows(item, seq) };
  }

  async #get(query: GetQuery): Promise<void> {
    const { name, wref } = query;
    const found = await this.#lookUp(query);
    if (found?.isHidden) return await this.#expectMissing(query.name, query.wref, (text) => inputOf(query, text));
    const { seq = 0 } = found ?? {};
    await this.#compare(name, inputOf(query, wref.text), (full) => this.#filter.item(full as RecordItem, seq));
  }

  /** Byte for byte as for what is not there. */
  async #expectMissing(name: AskedName, wref: NamedWref, inputFor: (text: string) => object): Promise<void> {
    const got = await this.#read(name, inputFor(wref.text));
    const twin = await this.#read(name, inputFor(wref.twin));
    this.#expectEqual(got.text, twin.text.replaceAll(wref.twin, wref.text), { name, wref });
    // What names a version, or leads elsewhere, is nothing to compare, whether it is there or not.
    const isRefused = name === 'thing.diff' && got.error?.code === 'VALIDATION_ERROR';
    if (!isRefused) this.#expectEqual(got.error?.code, 'NOT_FOUND', { name, wref });
    this.hidden += 1;
  }

  async #history(query: HistoryQuery): Promise<void> {
    const { name, wref, limit } = query;
    const found = await this.#lookUp(query);
    if (found?.isHidden) return await this.#expectMissing(name, wref, (text) => inputOf(query, text));
    const input = inputOf(query, wref.text);
    if (found === undefined) return await this.#compare(name, input, (full) => full);
    await this.#pages<RecordItem>(name, input, { limit, filter: (item) => this.#filter.item(item, found.seq) });
  }

  /** Each name as it was at its sequence; what was hidden then is not told. */
  async #names(query: NamesQuery): Promise<void> {
    const { name, wref, limit } = query;
    const found = await this.#lookUp(query);
    if (found?.isHidden) return await this.#expectMissing(name, wref, (text) => inputOf(query, text));
    const input = inputOf(query, wref.text);
    if (found === undefined) return await this.#compare(name, input, (full) => full);
    const { item, seq } = found;
    const full = dataOf(name, await this.#owner.ask(name, { ...input, limit: PAGES_MAX }));
    const told = full.items.map((one) => ({ name: one.name, seq: one.repoSeq }));
    this.#expectEqual(told, this.#filter.recordOf(item.durableId).fullNamesTo(seq), { name, input });
    const filter = (one: NameItem) => (this.#filter.shows({ ...item, name: one.name }, one.repoSeq) ? one : undefined);
    await this.#pages<NameItem>(name, input, { limit, filter });
  }

  async #relation(query: RefsQuery | GraphQuery | DiffQuery): Promise<void> {
    const name = relationName(query);
    const found = await this.#lookUp(query);
    if (found?.isHidden) return await this.#expectMissing(name, query.wref, (text) => relationInput(query, text));
    const input = relationInput(query, query.wref.text);
    const full = await this.#owner.ask(name, input);
    if (found === undefined || full.error !== undefined) return await this.#compare(name, input, (same) => same);
    const subject = { record: this.#filter.recordOf(found.item.durableId), seq: found.seq };
    if (query.do === 'refs') {
      const filter = (item: ReferenceItem) => this.#relations.reference(item, subject);
      return await this.#pages<ReferenceItem>(name, input, { limit: query.limit, filter });
    }
    const wanted =
      query.do === 'graph'
        ? await this.#relations.graph(query, subject)
        : this.#relations.diff(dataOf('thing.diff', full));
    await this.#compare(name, input, () => wanted);
  }

  async #changes({ repo, limit, do: _, ...rest }: ChangesQuery): Promise<void> {
    const seq = rest.atRepoSeq ?? headOf(repo);
    const filter = (item: RecordChange) => this.#relations.change(item, seq);
    await this.#pages<RecordChange>('thing.changes', { ...addressOf(repo), ...rest }, { limit, filter });
  }

  async #many(query: ManyQuery): Promise<void> {
    const { repo, wrefs, do: _, ...rest } = query;
    const { atRepoSeq = headOf(repo) } = query;
    const texts = wrefs.map(({ text }) => text);
    const elsewhere = /^wh:|^[0-9]/;
    const asked = query.atRepoSeq === undefined ? texts : texts.filter((text) => !elsewhere.test(text));
    if (asked.length === 0) return;
    await this.#compare('thing.getMany', { ...addressOf(repo), ...rest, wrefs: asked }, ({ repoSeq, items }) => ({
      repoSeq,
      items: items.map((item) => {
        if (item === null) return null;
        const { repo: from } = this.#filter.recordOf(item.durableId);
        const seq = from === repo ? atRepoSeq : headOf(from);
        return this.#filter.shows(item, seq) ? this.#filter.item(item, seq) : null;
      }),
    }));
  }

  async #shapes({ repo, limit, do: _, ...rest }: ShapesQuery): Promise<void> {
    const seq = rest.atRepoSeq ?? headOf(repo);
    await this.#pages<RecordItem>(
      'shape.list',
      { ...addressOf(repo), ...rest },
      {
        limit,
        filter: (item) => (this.#filter.shows(item, seq) ? this.#filter.item(item, seq) : undefined),
      },
    );
  }

  async #commit(repo: WorldRepository, repoSeq: number): Promise<void> {
    const full = dataOf('commit.get', await this.#owner.ask('commit.get', { ...addressOf(repo), repoSeq }));
    const wanted = this.#filter.commit(repo, full);
    if (wanted !== undefined) {
      return await this.#compare('commit.get', { ...addressOf(repo), repoSeq }, () => wanted);
    }
    this.hidden += 1;
    const missing = headOf(repo) + 1;
    const got = await this.#read('commit.get', { ...addressOf(repo), repoSeq });
    const twin = await this.#read('commit.get', { ...addressOf(repo), repoSeq: missing });
    this.#expectEqual(got.text, twin.text.replace(`commit ${missing}`, `commit ${repoSeq}`), {
      repo: repo.repoName,
      repoSeq,
    });
  }

  async #log({ repo, limit }: LogQuery): Promise<void> {
    const whole = new Map<number, ReadCommit>();
    for (const { seq: repoSeq } of repo.commits) {
      whole.set(repoSeq, dataOf('commit.get', await this.#owner.ask('commit.get', { ...addressOf(repo), repoSeq })));
    }
    const filter = ({ repoSeq }: { repoSeq: number }) => {
      const full = whole.get(repoSeq);
      const left = full && this.#filter.commit(repo, full);
      if (left === undefined) return undefined;
      const { operations: _, ...commit } = left;
      return commit;
    };
    await this.#pages('commit.log', addressOf(repo), { limit, filter });
  }

  /** All pages, which are full but for the last; then one that the owner's cursor leads to. */
  async #pages<Item>(
    name: AskedName,
    input: object,
    { limit, filter }: { limit: number; filter: (item: Item) => Item | undefined },
  ): Promise<void> {
    const full = await this.#owner.ask(name, { ...input, limit: PAGES_MAX });
    if (full.error !== undefined) return await this.#compare(name, { ...input, limit }, (same) => same);
    const { items } = parsedText(full) as Page<Item>;
    const left = items.map(filter);
    const isLeft = (item: Item | undefined) => item !== undefined;
    if (JSON.stringify(left) !== JSON.stringify(items)) this.hidden += 1;
    await this.#walk(name, { ...input, limit }, left.filter(isLeft));
    const first = parsedText(await this.#owner.ask(name, { ...input, limit })) as Page<Item>;
    if (first.nextCursor === undefined) return;
    const rest = left.slice(limit).filter(isLeft).slice(0, limit);
    const got = await this.#read(name, { ...input, limit, cursor: first.nextCursor });
    const { items: gotItems } = parsedText(got) as Page<Item>;
    this.#expectItems(gotItems, rest, { name, input, cursor: 'of the owner' });
  }

  async #walk(name: AskedName, input: { limit: number }, wanted: readonly unknown[]): Promise<void> {
    let cursor: string | undefined;
    for (let shown = 0; shown === 0 || cursor !== undefined; shown += input.limit) {
      const got = await this.#read(name, { ...input, ...(cursor !== undefined && { cursor }) });
      const page = parsedText(got) as Page<unknown>;
      cursor = page.nextCursor;
      this.#expectItems(page.items, wanted.slice(shown, shown + input.limit), { name, input });
      this.#expectEqual(cursor !== undefined, wanted.length > shown + input.limit, { name, input, shown });
    }
  }

  async #refer(query: ReferQuery): Promise<void> {
    const { repo, wref, target } = query;
    const { oracle } = this.#token;
    const [input, twin] = [commitOf(query, wref.text), commitOf(query, wref.twin)];
    if (input === undefined || twin === undefined || !oracle.scopesIn(repo).has('repo:write')) return;
    const isHidden = !oracle.reads(target.repo) || !oracle.shows(target);
    const got = await this.#read('commit.validate', input);
    if (!isHidden) {
      const full = await this.#owner.ask('commit.validate', input);
      return this.#expectEqual(withoutHashes(got), withoutHashes(full), { input });
    }
    for (const name of ['commit.validate', 'commit.submit'] as const) {
      const missing = await this.#read(name, twin);
      this.#expectEqual(missing.error?.code, 'TARGET_NOT_FOUND', { name, twin });
      const hidden = name === 'commit.validate' ? got : await this.#read(name, input);
      this.#expectEqual(hidden.text, missing.text.replaceAll(wref.twin, wref.text), { name, input });
    }
  }

  async #places({ name, limit }: PlacesQuery): Promise<void> {
    const { oracle } = this.#token;
    const { repositories } = this.#owner.world;
    const find = (item: { orgName: string; name: string }) =>
      repositories.find(({ orgName, repoName }) => orgName === item.orgName && repoName === item.name);
    if (name === 'repo.list') {
      await this.#listed<{ orgName: string; name: string }>(name, limit, (item) => {
        const repo = find(item);
        return repo === undefined || oracle.reads(repo) || oracle.listsIn(repo);
      });
    } else {
      await this.#listed<{ name: string }>(name, limit, (item) => {
        const some = repositories.filter(({ orgName }) => orgName === item.name);
        const isOpen = some.length === 0 || some.some(({ visibility }) => visibility === 'public');
        return isOpen || (some.some(({ isOwn }) => isOwn) && oracle.holdsInOrganization(item.name, 'org:read'));
      });
    }
  }

  async #listed<Item>(name: AskedName, limit: number, isShown: (item: Item) => boolean): Promise<void> {
    await this.#pages<Item>(name, {}, { limit, filter: (item) => (isShown(item) ? item : undefined) });
  }
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** What tells whether a guess of data is right is for who may read all. */
function withoutHashes({ text, error }: Answer): unknown {
  if (error !== undefined) return error;
  const { operations, ...rest } = JSON.parse(text) as { operations: OperationResult[] };
  return { ...rest, operations: operations.map(({ dataHash: _, ...operation }) => operation) };
}
