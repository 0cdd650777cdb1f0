// Tokens read, listed, rotated and revoked by accounts that manage them, and attempts by others.
import { expect } from 'vitest';
import { type Actor, type ModelToken, manages } from './model.ts';
import type { Intent, Scene } from './scene.ts';

export class TokenManagement {
  readonly #scene: Scene;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  async get({ by, target: pick }: Intent<'get'>): Promise<void> {
    const [actor, target] = [this.#scene.actor(by), this.#scene.target(pick)];
    if (target === undefined || !(await this.#mayManage(actor, 'token.get', target))) return;
    const record = (await this.#scene.call(actor)('token.get', { name: target.name })).data();
    expect(record).toMatchObject({ name: target.name, expiresAt: target.expiresAt });
    expect('revokedAt' in record).toBe(target.isRevoked);
    expect(record.createdBy).toBe(target.parent === undefined ? 'session' : `token:${target.parent.name}`);
  }

  async list({ by, limit }: Intent<'list'>): Promise<void> {
    const actor = this.#scene.actor(by);
    const call = this.#scene.call(actor);
    if (!this.#scene.isGood(actor)) return expect((await call('token.list', {})).status).toBe(401);
    const names: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const page = (await call('token.list', { limit, ...(cursor !== undefined && { cursor }) })).data();
      names.push(...page.items.map(({ name }) => name));
      cursor = page.nextCursor;
      if (cursor === undefined) break;
    }
    const wanted = this.#scene.tokens.filter((target) => manages(actor, target)).map(({ name }) => name);
    expect(names).toEqual(wanted.sort((a, b) => (a < b ? -1 : 1)));
  }

  async revoke({ by, target: pick }: Intent<'revoke'>): Promise<void> {
    const [actor, target] = [this.#scene.actor(by), this.#scene.target(pick)];
    if (target === undefined || !(await this.#mayManage(actor, 'token.revoke', target))) return;
    (await this.#scene.call(actor)('token.revoke', { name: target.name })).data();
    for (const one of this.#scene.tokens) if (one === target || one.descendsFrom(target)) one.isRevoked = true;
    const { items } = (await this.#scene.call({ account: target.account })('token.list', { limit: 500 })).data();
    const revoked = items.flatMap(({ name, revokedAt }) => (revokedAt === undefined ? [] : [name]));
    const wanted = this.#scene.tokens.filter((one) => one.account === target.account && one.isRevoked);
    expect(new Set(revoked)).toEqual(new Set(wanted.map(({ name }) => name)));
    await this.#scene.expectAlive();
  }

  async rotate({ by, target: pick, expiry, end }: Intent<'rotate'>): Promise<void> {
    const [actor, target] = [this.#scene.actor(by), this.#scene.target(pick)];
    if (target === undefined || !(await this.#mayManage(actor, 'token.rotate', target))) return;
    const expiresAt = this.#scene.end(expiry, target.parent);
    const input = {
      name: target.name,
      ...(expiresAt !== undefined && { expiresAt }),
      ...(end && { previousValidUntil: Date.now() - 1 }),
    };
    const rotated = await this.#scene.call(actor)('token.rotate', input);
    if (this.#scene.isEndRefused(expiresAt, target.parent)) return expect(rotated.status).toBe(400);
    if (target.isRevoked || target.expiresAt <= Date.now()) return expect(rotated.code).toBe('CONFLICT');
    const record = rotated.data();
    expect(record.expiresAt).toBe(expiresAt ?? target.expiresAt);
    target.expiresAt = record.expiresAt;
    if (target.previous !== undefined) target.lost.push(target.previous);
    if (end) target.lost.push(target.value);
    target.previous = end ? undefined : target.value;
    target.value = record.token;
    await this.#scene.expectAlive();
  }

  async #mayManage(actor: Actor, name: 'token.get' | 'token.rotate' | 'token.revoke', target: ModelToken) {
    if (!this.#scene.isGood(actor)) {
      expect((await this.#scene.call(actor)(name, { name: target.name })).status).toBe(401);
      return false;
    }
    if (manages(actor, target)) return true;
    await this.#expectUnknown(actor, name, target);
    return false;
  }

  /** To an actor who does not manage a token, it looks like one that does not exist. */
  async #expectUnknown(actor: Actor, name: 'token.get' | 'token.rotate' | 'token.revoke', target: ModelToken) {
    const call = this.#scene.call(actor);
    const got = await call(name, { name: target.name });
    const unknown = await call(name, { name: 'nobody' });
    expect([got.status, got.body]).toEqual([404, unknown.body.replaceAll('nobody', target.name)]);
  }
}
