// One token asks all questions about a world. The oracle filters the owner's answers, and both must be equal.

import type { OperationResult } from '@cairn/protocol/commit';
import type { NameItem, RecordChange, ReferenceItem } from '@cairn/protocol/read';
import type { RecordItem } from '@cairn/protocol/record';
import { type Answer, type AskedName, dataOf } from './ask.ts';
import { Comparison, PAGES_MAX } from './comparison.ts';
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
import type { WorldToken } from './token.ts';

export class Examination {
  readonly #owner: OwnerView;
  readonly #token: WorldToken;
  readonly #filter: AnswerFilter;
  readonly #relations: RelationFilter;
  readonly #comparison: Comparison;

  static async start(owner: OwnerView, token: WorldToken): Promise<Examination> {
    return new Examination(owner, token, await Comparison.start(owner, token));
  }

  private constructor(owner: OwnerView, token: WorldToken, comparison: Comparison) {
    this.#owner = owner;
    this.#token = token;
    this.#comparison = comparison;
    this.#filter = new AnswerFilter(token.oracle, owner.byId);
    this.#relations = new RelationFilter(owner, { token: token.oracle, filter: this.#filter });
  }

  get reads(): number {
    return this.#comparison.reads;
  }

  get hidden(): number {
    return this.#comparison.hidden;
  }

  async answer(query: Query): Promise<void> {
    if ('repo' in query && !this.#token.oracle.reads(query.repo)) {
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
        return await this.#comparison.compare('repo.get', addressOf(query.repo), (full) => full);
    }
  }

  async #expectNoRepository(repo: WorldRepository): Promise<void> {
    const about = { repo: addressOf(repo) };
    for (const name of ['repo.get', 'shape.list', 'commit.log'] as const) {
      const got = await this.#comparison.read(name, addressOf(repo));
      this.#comparison.expectEqual(got.error?.code, 'NOT_FOUND', about);
      const missing = await this.#comparison.read(name, { ...addressOf(repo), repoName: 'nothing' });
      this.#comparison.expectEqual(got.text, missing.text, about);
    }
  }

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
    if (found?.isHidden)
      return await this.#comparison.expectMissing(query.name, query.wref, (text) => inputOf(query, text));
    const { seq = 0 } = found ?? {};
    await this.#comparison.compare(name, inputOf(query, wref.text), (full) =>
      this.#filter.item(full as RecordItem, seq),
    );
  }

  async #history(query: HistoryQuery): Promise<void> {
    const { name, wref, limit } = query;
    const found = await this.#lookUp(query);
    if (found?.isHidden) return await this.#comparison.expectMissing(name, wref, (text) => inputOf(query, text));
    const input = inputOf(query, wref.text);
    if (found === undefined) return await this.#comparison.compare(name, input, (full) => full);
    await this.#comparison.pages<RecordItem>(name, input, {
      limit,
      filter: (item) => this.#filter.item(item, found.seq),
    });
  }

  /** Each name at its sequence. Names that were hidden then are left out. */
  async #names(query: NamesQuery): Promise<void> {
    const { name, wref, limit } = query;
    const found = await this.#lookUp(query);
    if (found?.isHidden) return await this.#comparison.expectMissing(name, wref, (text) => inputOf(query, text));
    const input = inputOf(query, wref.text);
    if (found === undefined) return await this.#comparison.compare(name, input, (full) => full);
    const { item, seq } = found;
    const full = dataOf(name, await this.#owner.ask(name, { ...input, limit: PAGES_MAX }));
    const told = full.items.map((one) => ({ name: one.name, seq: one.repoSeq }));
    this.#comparison.expectEqual(told, this.#filter.recordOf(item.durableId).fullNamesTo(seq), { name, input });
    const filter = (one: NameItem) => (this.#filter.shows({ ...item, name: one.name }, one.repoSeq) ? one : undefined);
    await this.#comparison.pages<NameItem>(name, input, { limit, filter });
  }

  async #relation(query: RefsQuery | GraphQuery | DiffQuery): Promise<void> {
    const name = relationName(query);
    const found = await this.#lookUp(query);
    if (found?.isHidden)
      return await this.#comparison.expectMissing(name, query.wref, (text) => relationInput(query, text));
    const input = relationInput(query, query.wref.text);
    const full = await this.#owner.ask(name, input);
    if (found === undefined || full.error !== undefined)
      return await this.#comparison.compare(name, input, (same) => same);
    const subject = { record: this.#filter.recordOf(found.item.durableId), seq: found.seq };
    if (query.do === 'refs') {
      const filter = (item: ReferenceItem) => this.#relations.reference(item, subject);
      return await this.#comparison.pages<ReferenceItem>(name, input, { limit: query.limit, filter });
    }
    const wanted =
      query.do === 'graph'
        ? await this.#relations.graph(query, subject)
        : this.#relations.diff(dataOf('thing.diff', full));
    await this.#comparison.compare(name, input, () => wanted);
  }

  async #changes({ repo, limit, do: _, ...rest }: ChangesQuery): Promise<void> {
    const seq = rest.atRepoSeq ?? headOf(repo);
    const filter = (item: RecordChange) => this.#relations.change(item, seq);
    await this.#comparison.pages<RecordChange>('thing.changes', { ...addressOf(repo), ...rest }, { limit, filter });
  }

  async #many(query: ManyQuery): Promise<void> {
    const { repo, wrefs, do: _, ...rest } = query;
    const { atRepoSeq = headOf(repo) } = query;
    const texts = wrefs.map(({ text }) => text);
    const elsewhere = /^wh:|^[0-9]/;
    const asked = query.atRepoSeq === undefined ? texts : texts.filter((text) => !elsewhere.test(text));
    if (asked.length === 0) return;
    await this.#comparison.compare(
      'thing.getMany',
      { ...addressOf(repo), ...rest, wrefs: asked },
      ({ repoSeq, items }) => ({
        repoSeq,
        items: items.map((item) => {
          if (item === null) return null;
          const { repo: from } = this.#filter.recordOf(item.durableId);
          const seq = from === repo ? atRepoSeq : headOf(from);
          return this.#filter.shows(item, seq) ? this.#filter.item(item, seq) : null;
        }),
      }),
    );
  }

  async #shapes({ repo, limit, do: _, ...rest }: ShapesQuery): Promise<void> {
    const seq = rest.atRepoSeq ?? headOf(repo);
    await this.#comparison.pages<RecordItem>(
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
      return await this.#comparison.compare('commit.get', { ...addressOf(repo), repoSeq }, () => wanted);
    }
    this.#comparison.hidden += 1;
    const missing = headOf(repo) + 1;
    const got = await this.#comparison.read('commit.get', { ...addressOf(repo), repoSeq });
    const twin = await this.#comparison.read('commit.get', { ...addressOf(repo), repoSeq: missing });
    this.#comparison.expectEqual(got.text, twin.text.replace(`commit ${missing}`, `commit ${repoSeq}`), {
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
    await this.#comparison.pages('commit.log', addressOf(repo), { limit, filter });
  }

  async #refer(query: ReferQuery): Promise<void> {
    const { repo, wref, target } = query;
    const { oracle } = this.#token;
    const [input, twin] = [commitOf(query, wref.text), commitOf(query, wref.twin)];
    if (input === undefined || twin === undefined || !oracle.scopesIn(repo).has('repo:write')) return;
    const isHidden = !oracle.reads(target.repo) || !oracle.shows(target);
    const got = await this.#comparison.read('commit.validate', input);
    if (!isHidden) {
      const full = await this.#owner.ask('commit.validate', input);
      return this.#comparison.expectEqual(withoutHashes(got), withoutHashes(full), { input });
    }
    for (const name of ['commit.validate', 'commit.submit'] as const) {
      const missing = await this.#comparison.read(name, twin);
      this.#comparison.expectEqual(missing.error?.code, 'TARGET_NOT_FOUND', { name, twin });
      const hidden = name === 'commit.validate' ? got : await this.#comparison.read(name, input);
      this.#comparison.expectEqual(hidden.text, missing.text.replaceAll(wref.twin, wref.text), { name, input });
    }
  }

  async #places({ name, limit }: PlacesQuery): Promise<void> {
    const { oracle } = this.#token;
    const { repositories } = this.#owner.world;
    const find = (item: { orgName: string; name: string }) =>
      repositories.find(({ orgName, repoName }) => orgName === item.orgName && repoName === item.name);
    if (name === 'repo.list') {
      await this.#listed<{ orgName: string; name: string; lastCommitAt?: number }>(name, limit, (item) => {
        const repo = find(item);
        const isShown = repo === undefined || oracle.reads(repo) || oracle.listsIn(repo);
        const { lastCommitAt: _, ...unseen } = item;
        if (!isShown) return undefined;
        return oracle.isNarrowedAnywhere ? unseen : item;
      });
    } else {
      await this.#listed<{ name: string }>(name, limit, (item) => {
        const some = repositories.filter(({ orgName }) => orgName === item.name);
        const isOpen = some.length === 0 || some.some(({ visibility }) => visibility === 'public');
        const isHeld = some.some(({ isOwn }) => isOwn) && oracle.holdsInOrganization(item.name, 'org:read');
        return isOpen || isHeld ? item : undefined;
      });
    }
  }

  async #listed<Item>(name: AskedName, limit: number, shown: (item: Item) => Item | undefined): Promise<void> {
    await this.#comparison.pages<Item>(name, {}, { limit, filter: shown });
  }
}

/** Hashes would confirm guesses of data, so only callers who may read everything get them. */
function withoutHashes({ text, error }: Answer): unknown {
  if (error !== undefined) return error;
  const { operations, ...rest } = JSON.parse(text) as { operations: OperationResult[] };
  return { ...rest, operations: operations.map(({ dataHash: _, ...operation }) => operation) };
}
