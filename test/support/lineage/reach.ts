// The actual rights of every token, by the server's statement and by its reads, compared with the tree and with its
// maker.
import { SCOPE_NAMES, type Scope } from '@cairn/protocol/scopes';
import { expect } from 'vitest';
import { type Ask, asker, dataOf, principalOf } from '../narrowing/ask.ts';
import {
  type Actor,
  allowed,
  isNarrowed,
  levelsOf,
  type ModelToken,
  type Place,
  type Repo,
  roleIn,
  scopesIn,
  shows,
} from './model.ts';
import { placeName, type Scene } from './scene.ts';

export class ReachCheck {
  readonly #scene: Scene;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  async expectReach(): Promise<void> {
    const held = new Map<ModelToken, Set<string>>();
    for (const token of this.#scene.tokens) {
      if (!token.isAlive) continue;
      const { store } = this.#scene.options;
      const reached = await this.#reachOf(token, asker(store, await principalOf(store, token.value)));
      held.set(token, reached);
      const above = token.parent && held.get(token.parent);
      if (above === undefined) continue;
      expect([...reached].filter((one) => !above.has(one))).toEqual([]);
    }
    await this.#scene.expectAlive();
  }

  async #reachOf(token: ModelToken, ask: Ask): Promise<Set<string>> {
    const actor: Actor = { account: token.account, token };
    const reached = new Set<string>();
    for (const repo of this.#scene.repos) {
      for (const scope of SCOPE_NAMES)
        if (await this.#holds(actor, ask, { repo }, scope)) reached.add(`${placeName({ repo })} ${scope}`);
      for (const name of await this.#readNames(actor, ask, repo)) reached.add(`${placeName({ repo })} ${name}`);
    }
    for (const org of this.#scene.orgs) {
      for (const scope of SCOPE_NAMES)
        if (await this.#holds(actor, ask, { org }, scope)) reached.add(`${placeName({ org })} ${scope}`);
    }
    return reached;
  }

  async #holds(actor: Actor, ask: Ask, { org, repo }: Place, permission: Scope): Promise<boolean> {
    this.#scene.asked += 1;
    const answer =
      repo === undefined
        ? await ask('access.checkOrgPermission', { orgName: org?.name, permission })
        : await ask('access.checkRepoPermission', { orgName: repo.org.name, repoName: repo.name, permission });
    const about = JSON.stringify({ entries: actor.token?.entries.map((one) => this.#scene.sent(one)), permission });
    if (!this.#scene.sees(actor, { org, repo })) {
      expect(answer.error?.code, about).toBe('NOT_FOUND');
      return false;
    }
    const { allowed: isAllowed, narrowed } = dataOf('access.checkRepoPermission', answer);
    const isOpen = repo?.visibility === 'public' && permission === 'repo:read';
    const inRole = roleIn(actor.account, { org, repo }).filter(
      (scope) => repo !== undefined || scope.startsWith('org:'),
    );
    const isHeld = inRole.includes(permission) && allowed(levelsOf(actor), { org, repo }).has(permission);
    expect([permission, isAllowed], about).toEqual([permission, isOpen || isHeld]);
    const isPart = repo !== undefined && permission === 'repo:read' && isNarrowed(levelsOf(actor), repo);
    expect([permission, narrowed === true], about).toEqual([permission, isPart]);
    return isAllowed;
  }

  async #readNames(actor: Actor, ask: Ask, repo: Repo): Promise<string[]> {
    this.#scene.asked += 1;
    const records = this.#scene.records(repo);
    const wrefs = records.map(({ name }) => name);
    const answer = await ask('thing.getMany', { orgName: repo.org.name, repoName: repo.name, wrefs });
    const reads = repo.visibility === 'public' || scopesIn(actor, { repo }).has('repo:read');
    if (!reads) {
      expect(answer.error?.code).toBe('NOT_FOUND');
      return [];
    }
    const { items } = dataOf('thing.getMany', answer);
    const names = items.flatMap((item) => item?.name ?? []);
    expect(names).toEqual(records.filter((one) => shows(levelsOf(actor), one)).map(({ name }) => name));
    return names;
  }
}
