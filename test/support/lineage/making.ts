// Tokens made by sessions and by tokens: their permitted scopes, and the information in a refusal.
import type { ScopeEntry } from '@cairn/protocol/account';
import { expect } from 'vitest';
import { type EntryIntent, GLOBS } from './intent.ts';
import { type Actor, allowed, type Entry, ModelToken, type Place, shows } from './model.ts';
import { type Intent, placeName, type Scene } from './scene.ts';

export class TokenMaking {
  readonly #scene: Scene;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  async create({ by, from, entries: intents, expiry }: Intent<'create'>): Promise<void> {
    const actor = this.#scene.actor(by);
    const { token: parent } = actor;
    const source = from === 'copy' ? parent : undefined;
    const entries =
      source?.entries ??
      intents.map((intent, index) => {
        const own = parent?.entries[(index + intent.place) % (parent.entries.length || 1)];
        return from === 'within' && own !== undefined ? this.#within(own, intent) : this.#written(intent);
      });
    const name = `t${this.#scene.nextNumber()}`;
    const expiresAt = this.#scene.end(expiry, parent);
    const scopes = entries.map((entry) => this.#scene.sent(entry));
    const made = await this.#scene.call(actor)('token.create', {
      name,
      scopes,
      ...(expiresAt !== undefined && { expiresAt }),
    });
    const about = JSON.stringify({
      actor: parent?.entries.map((one) => this.#scene.sent(one)),
      scopes,
      body: made.body,
    });
    if (!this.#scene.isGood(actor)) return expect(made.status, about).toBe(401);
    const isSeen = entries.every((entry) => this.#scene.sees(actor, entry));
    if (!isSeen || this.#scene.isEndRefused(expiresAt, parent)) return expect(made.status, about).toBe(400);
    const isKnown = entries.every((entry) => this.#scene.showsShapes(actor, entry));
    // A descendant may list scopes that it lost when a repository moved.
    const isHeld = parent?.parent === undefined;
    if (from === 'copy' && isKnown && isHeld) expect(made.status, about).toBe(200);
    if (made.status !== 200) return expect(made.status, about).toBe(400);
    expect(this.#excess(actor, entries), about).toEqual([]);
    const record = made.data();
    expect(record.createdBy, about).toBe(parent === undefined ? 'session' : `token:${parent.name}`);
    expect(record.scopes, about).toEqual(scopes);
    if (parent !== undefined) expect(record.expiresAt).toBeLessThanOrEqual(parent.expiresAt);
    const form = { name, account: actor.account, parent, entries, expiresAt: record.expiresAt, value: record.token };
    this.#scene.tokens.push(new ModelToken(form));
  }

  #written({ place, permissions, refs, shapes }: EntryIntent): Entry {
    const where = this.#scene.place(place);
    const reads = permissions.includes('repo:read');
    const { repo } = where;
    const chosen =
      repo === undefined ? shapes : shapes.flatMap((name) => repo.shapes.find((one) => one.name === name) ?? []);
    return {
      ...where,
      permissions,
      refs: reads && refs.length > 0 ? refs : undefined,
      shapes: reads && chosen.length > 0 ? chosen : undefined,
    };
  }

  /** An entry of the parent, narrowed in some way, or slightly too wide. */
  #within(own: Entry, { place, refs, shapes, permissions, twist }: EntryIntent): Entry {
    const kept = own.permissions.filter((scope) => permissions.includes(scope));
    const some = kept.length === 0 ? own.permissions : kept;
    const asked = this.#scene.place(place);
    const inside = this.#scene.repos.filter(({ org }) => org === own.org);
    const where = own.org === undefined ? asked : { repo: inside[twist % 4] ?? asked.repo };
    const isSmaller = !own.repo && (where.repo !== undefined || !own.org);
    const moved = isSmaller ? where : { org: own.org, repo: own.repo };
    if (!some.includes('repo:read')) return { ...moved, permissions: some };
    const [glob] = refs;
    const globs = own.refs?.map((one) => extended(one, twist)) ?? (glob === undefined ? undefined : [glob]);
    const isMoved = moved.repo !== own.repo;
    const named = moved.repo === undefined ? shapes : moved.repo.shapes.filter(({ name }) => shapes.includes(name));
    const chosen = own.shapes !== undefined && !isMoved ? own.shapes.slice(0, 1 + (place % 2)) : named;
    return { ...moved, permissions: some, refs: globs, shapes: chosen.length > 0 ? chosen : undefined };
  }

  /** Places in which the new entries alone would exceed the token that makes them. There must be none. */
  #excess({ token }: Actor, entries: readonly Entry[]): string[] {
    if (token === undefined) return [];
    const [own, above] = [[entries], token.lineage.map((one) => one.entries)];
    const places: Place[] = [
      {},
      ...this.#scene.orgs.map((org) => ({ org })),
      ...this.#scene.repos.map((repo) => ({ repo })),
    ];
    const scopes = places.flatMap((place) => {
      const held = allowed(above, place);
      return [...allowed(own, place)]
        .filter((scope) => !held.has(scope))
        .map((scope) => `${placeName(place)} ${scope}`);
    });
    const names = this.#scene.repos.flatMap((repo) => {
      if (!allowed(own, { repo }).has('repo:read')) return [];
      const beyond = this.#scene.samples(repo).filter((one) => shows(own, one) && !shows(above, one));
      return beyond.map(({ name }) => `${placeName({ repo })} ${name}`);
    });
    return [...scopes, ...names];
  }

  /** A token request for a hidden shape must get the same answer as one for a missing shape. */
  async probe({ by, place, shape: pick }: Intent<'probe'>): Promise<void> {
    const actor = this.#scene.actor(by);
    const repo = this.#scene.repos[place % this.#scene.repos.length];
    const shape = repo?.shapes[pick % repo.shapes.length];
    if (repo === undefined || shape === undefined || actor.token === undefined || !this.#scene.isGood(actor)) return;
    if (this.#scene.showsShapes(actor, { repo, permissions: [], shapes: [shape] })) return;
    const ask = async (name: string) => {
      const entry: ScopeEntry = {
        resource: `${repo.org.name}/${repo.name}`,
        permissions: ['repo:read'],
        shapes: [name],
      };
      return await this.#scene.call(actor)('token.create', { name: 'probe', scopes: [entry] });
    };
    const [hidden, missing] = [await ask(shape.name), await ask('Nosuch')];
    const about = JSON.stringify(actor.token.entries.map((one) => this.#scene.sent(one)));
    expect([hidden.status, hidden.body], about).toEqual([400, missing.body.replaceAll('Nosuch', shape.name)]);
  }
}

/** A longer prefix, which may or may not stay within the glob. */
function extended(glob: string, twist: number): string {
  const star = glob.indexOf('*');
  if (star === -1 || twist < 10) return glob;
  const more = ['open/', 'o', 'Signal/', 'open/a', 'a'][twist % 5] ?? '';
  const rest = [glob.slice(star), '**', '*', ''][(twist >> 3) % 4] ?? '';
  return twist > 55 ? (GLOBS[twist % GLOBS.length] ?? glob) : `${glob.slice(0, star)}${more}${rest}`;
}
