// Roles granted by sessions and by tokens, which can grant no more than they hold.
import { ORGANIZATION_ROLES, REPOSITORY_ROLES, type Scope } from '@cairn/protocol/scopes';
import { expect } from 'vitest';
import { type Actor, missingToGive, type Org, type Place, scopesIn } from './model.ts';
import type { Intent, Scene } from './scene.ts';

export class RoleGiving {
  readonly #scene: Scene;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  async giveOrgRole({ by, org: pick, role }: Intent<'giveOrgRole'>): Promise<void> {
    const [actor, org] = [this.#scene.actor(by), this.#scene.orgs[pick % this.#scene.orgs.length]];
    if (org === undefined) return;
    const name = org.bob === null ? 'org.addMember' : 'org.setMemberRole';
    const answer = await this.#scene.call(actor)(name, { orgName: org.name, handle: this.#scene.handle('bob'), role });
    const scopes = scopesIn(actor, { org });
    const given = ORGANIZATION_ROLES[role];
    const missing = this.#missingInOrg(actor, org, given);
    const about = JSON.stringify({
      entries: actor.token?.entries.map((one) => this.#scene.sent(one)),
      role,
      body: answer.body,
    });
    if (!this.#expectGiving(answer, { actor, place: { org }, scopes, needed: 'org:configure', missing, about })) return;
    const changesOwner = (role === 'owner' || org.bob === 'owner') && role !== org.bob;
    if (changesOwner && !scopes.has('org:admin')) {
      expect([answer.status, missingIn(answer.body)], about).toEqual([403, ['org:admin']]);
      return;
    }
    expect(answer.status, about).toBe(200);
    org.bob = role;
    // An owner is admin everywhere, so other roles end.
    if (role === 'owner') for (const repo of this.#scene.repos) if (repo.org === org) repo.bob = null;
  }

  async giveRepoRole({ by, repo: pick, role }: Intent<'giveRepoRole'>): Promise<void> {
    const [actor, repo] = [this.#scene.actor(by), this.#scene.repos[pick % this.#scene.repos.length]];
    if (repo === undefined) return;
    const address = { orgName: repo.org.name, repoName: repo.name };
    const answer = await this.#scene.call(actor)('repo.setRole', {
      ...address,
      handle: this.#scene.handle('bob'),
      role,
    });
    const scopes = scopesIn(actor, { repo });
    if (repo.visibility === 'public') scopes.add('repo:read');
    const missing = role === null ? [] : missingToGive(actor, { repo }, REPOSITORY_ROLES[role]);
    const about = JSON.stringify({
      entries: actor.token?.entries.map((one) => this.#scene.sent(one)),
      role,
      body: answer.body,
    });
    if (!this.#expectGiving(answer, { actor, place: { repo }, scopes, needed: 'repo:admin', missing, about })) return;
    if (role !== null && repo.org.bob === 'owner') {
      expect(answer.status, about).toBe(409);
      return;
    }
    expect(answer.status, about).toBe(200);
    repo.bob = role;
  }

  /** Missing scopes in the organization, and in each repository for which the token has its own entry. */
  #missingInOrg(actor: Actor, org: Org, given: readonly Scope[]): Scope[] {
    const places: Place[] = [
      { org },
      ...this.#scene.repos.filter((repo) => repo.org === org).map((repo) => ({ repo })),
    ];
    const missing = places.flatMap((place) => {
      const inPlace = place.repo === undefined ? given : given.filter((scope) => scope.startsWith('repo:'));
      return missingToGive(actor, place, inPlace);
    });
    return given.filter((scope) => missing.includes(scope));
  }

  #expectGiving(
    { status, body }: { status: number; body: string },
    { actor, place, scopes, needed, missing, about }: Giving,
  ): boolean {
    if (!this.#scene.isGood(actor)) expect(status, about).toBe(401);
    else if (!this.#scene.sees(actor, place)) expect(status, about).toBe(404);
    else if (!scopes.has(needed)) expect([status, missingIn(body)], about).toEqual([403, [needed]]);
    else if (missing.length > 0) expect([status, missingIn(body)], about).toEqual([403, missing]);
    else return true;
    return false;
  }
}

interface Giving {
  readonly actor: Actor;
  readonly place: Place;
  readonly scopes: ReadonlySet<Scope>;
  readonly needed: Scope;
  readonly missing: readonly Scope[];
  readonly about: string;
}

const missingIn = (body: string) => JSON.parse(body).error?.data?.cairn?.details?.missing as unknown;
