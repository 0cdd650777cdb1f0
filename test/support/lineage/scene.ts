// Two accounts, two organizations and four repositories, with all tokens made so far: on the server, and as a tree in
// memory.
import type { ScopeEntry } from '@cairn/protocol/account';
import { expect } from 'vitest';
import type { Store } from '../../../packages/server/src/store.ts';
import { createSession } from '../principal.ts';
import { type CallProcedure, caller } from '../procedure.ts';
import type { TestApp } from '../server.ts';
import type { ActionIntent, Expiry } from './intent.ts';
import {
  type Account,
  type Actor,
  type Entry,
  levelsOf,
  type ModelToken,
  type Named,
  type Org,
  type Place,
  type Repo,
  scopesIn,
  showsShape,
} from './model.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LOCALS = ['open/a', 'open/b', 'closed/a', 'b'];
/** Names without a record, because globs must agree on them too. */
const OTHER_NAMES = [
  'Signal/x',
  'Signal/open/deep/a',
  'Signals/a',
  'Sig/open/a',
  'Room/open/q',
  'Hall/a',
  'Hall/open/a',
];

export type Intent<Do extends ActionIntent['do']> = Extract<ActionIntent, { do: Do }>;

interface SceneOptions {
  readonly app: TestApp['app'];
  readonly store: Store;
  readonly number: number;
}

export class Scene {
  asked = 0;
  readonly options: SceneOptions;
  readonly orgs: Org[] = [];
  readonly repos: Repo[] = [];
  readonly tokens: ModelToken[] = [];
  readonly sessions = new Map<Account, string>();
  #numbers = 0;

  static async start(options: SceneOptions): Promise<Scene> {
    const scene = new Scene(options);
    await scene.#prepare();
    return scene;
  }

  private constructor(options: SceneOptions) {
    this.options = options;
  }

  nextNumber(): number {
    this.#numbers += 1;
    return this.#numbers;
  }

  handle(account: Account): string {
    return `${account}${this.options.number}`;
  }

  async #prepare(): Promise<void> {
    const { store, number } = this.options;
    for (const account of ['ada', 'bob'] as const) {
      const handle = this.handle(account);
      const form = { email: `${handle}@example.com`, handle, passwordHash: '-', operator: true };
      const { id } = await store.write.createAccount(form);
      this.sessions.set(account, (await createSession(store, { accountId: id })).token);
    }
    const ada = this.call({ account: 'ada' });
    for (const name of [`acme${number}`, `east${number}`]) {
      (await ada('org.create', { name })).data();
      this.orgs.push({ name, bob: null });
    }
    for (const [index, name] of ['one', 'two', 'three', 'four'].entries()) {
      const org = this.orgs[index >> 1];
      if (org !== undefined) await this.#addRepository(org, name);
    }
    const [org] = this.orgs;
    if (org === undefined) return;
    (await ada('org.addMember', { orgName: org.name, handle: this.handle('bob'), role: 'admin' })).data();
    org.bob = 'admin';
  }

  async #addRepository(org: Org, name: string): Promise<void> {
    const ada = this.call({ account: 'ada' });
    (await ada('repo.create', { orgName: org.name, name })).data();
    const shapes = [{ name: 'Signal' }, { name: 'Room' }];
    const operations = [
      ...shapes.map((shape) => ({ operation: 'add', kind: 'shape', name: shape.name, data: { fields: {} } })),
      ...shapes.flatMap((shape) =>
        LOCALS.map((local) => ({ operation: 'add', name: `${shape.name}/${local}`, data: {} })),
      ),
    ];
    (await ada('commit.submit', { orgName: org.name, repoName: name, operations })).data();
    this.repos.push({ org, name, visibility: 'private', bob: null, shapes });
  }

  call({ account, token }: Actor): CallProcedure {
    return caller(this.options.app, token?.value ?? this.sessions.get(account));
  }

  callWith(value: string): CallProcedure {
    return caller(this.options.app, value);
  }

  actor(pick: number): Actor {
    const token = pick % 4 === 0 ? undefined : this.target(pick >> 2);
    if (token === undefined) return { account: pick % 8 < 4 ? 'ada' : 'bob' };
    return { account: token.account, token };
  }

  target(pick: number): ModelToken | undefined {
    return this.tokens[pick % Math.max(1, this.tokens.length)];
  }

  isGood({ token }: Actor): boolean {
    return token === undefined || token.isAlive;
  }

  place(pick: number): Place {
    const places: Place[] = [...this.repos.map((repo) => ({ repo })), ...this.orgs.map((org) => ({ org }))];
    return places[pick] ?? {};
  }

  sent({ org, repo, permissions, refs, shapes }: Entry): ScopeEntry {
    const resource = repo === undefined ? org?.name : `${repo.org.name}/${repo.name}`;
    return {
      ...(resource !== undefined && { resource }),
      permissions: [...permissions],
      ...(refs && { refs: [...refs] }),
      ...(shapes && { shapes: shapes.map((one) => (typeof one === 'string' ? one : one.name)) }),
    };
  }

  end(expiry: Expiry, parent: ModelToken | undefined): number | undefined {
    const now = Date.now();
    const parentEnd = parent?.expiresAt ?? now + 30 * DAY_MS;
    switch (expiry) {
      case 'default':
        return undefined;
      case 'hour':
        return now + HOUR_MS;
      case 'day':
        return now + DAY_MS;
      case 'month':
        return now + 29 * DAY_MS;
      case 'parent':
        return parentEnd;
      case 'beyondParent':
        return parentEnd + HOUR_MS;
      case 'past':
        return now - 1;
      case 'beyondYear':
        return now + 366 * DAY_MS;
    }
  }

  /** True if the server must refuse this expiry, whatever else is requested. */
  isEndRefused(end: number | undefined, parent: ModelToken | undefined): boolean {
    if (end === undefined) return false;
    return end <= Date.now() || end > Date.now() + 365 * DAY_MS || end > (parent?.expiresAt ?? Infinity);
  }

  sees(actor: Actor, { org, repo }: Place): boolean {
    if (repo !== undefined) return repo.visibility === 'public' || scopesIn(actor, { repo }).size > 0;
    if (org === undefined) return true;
    const isOpen = this.repos.some((one) => one.org === org && one.visibility === 'public');
    return isOpen || scopesIn(actor, { org }).size > 0;
  }

  showsShapes(actor: Actor, { repo, shapes }: Entry): boolean {
    if (repo === undefined || shapes === undefined) return true;
    const reads = repo.visibility === 'public' || scopesIn(actor, { repo }).has('repo:read');
    const levels = levelsOf(actor);
    return reads && shapes.every((shape) => typeof shape !== 'string' && showsShape(levels, { repo, shape }));
  }

  records(repo: Repo): Named[] {
    return repo.shapes.flatMap((shape) => LOCALS.map((local) => ({ repo, shape, name: `${shape.name}/${local}` })));
  }

  samples(repo: Repo): Named[] {
    return [...this.records(repo), ...OTHER_NAMES.map((name) => ({ repo, name }))];
  }

  async expectAlive(): Promise<void> {
    const isTaken = async (value: string) => (await this.callWith(value)('auth.whoami', {})).status === 200;
    for (const { name, value, previous, lost, isAlive } of this.tokens) {
      this.asked += 1;
      expect([name, await isTaken(value)]).toEqual([name, isAlive]);
      if (previous !== undefined) expect([name, await isTaken(previous)]).toEqual([name, isAlive]);
      for (const one of lost) expect([name, await isTaken(one)]).toEqual([name, false]);
    }
  }
}

export const placeName = ({ org, repo }: Place) =>
  repo === undefined ? (org?.name ?? 'everywhere') : `${repo.org.name}/${repo.name}`;
