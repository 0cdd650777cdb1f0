// Random tokens over a world, each in the server's format and in that of the oracle.

import type { ScopeEntry } from '@cairn/protocol/account';
import type { Scope } from '@cairn/protocol/scopes';
import fc from 'fast-check';
import { caller } from '../procedure.ts';
import type { WorldRepository } from './record.ts';
import { type OracleEntry, OracleToken } from './visibility.ts';
import type { World } from './world.ts';

interface GlobIntent {
  readonly pick: number;
  readonly form: 'exact' | 'below' | 'segment' | 'middle' | 'start' | 'end' | 'all' | 'shape';
  readonly cut: number;
}

interface EntryIntent {
  /** A repository or an organization by number; larger numbers stand for everything. */
  readonly place: number;
  readonly permissions: readonly Scope[];
  readonly refs: readonly GlobIntent[];
  readonly shapes: readonly number[];
}

interface ChildIntent {
  readonly keep: readonly boolean[];
  readonly deeper: readonly GlobIntent[];
  readonly place: number;
}

export interface TokenIntent {
  readonly entries: readonly EntryIntent[];
  readonly children: readonly ChildIntent[];
}

const glob: fc.Arbitrary<GlobIntent> = fc.record({
  pick: fc.nat(400),
  form: fc.constantFrom('exact', 'below', 'below', 'segment', 'middle', 'start', 'end', 'all', 'shape', 'shape'),
  cut: fc.nat(30),
});

const READ: readonly Scope[] = ['repo:read'];
const permissions: fc.Arbitrary<readonly Scope[]> = fc.constantFrom<readonly Scope[]>(
  READ,
  READ,
  ['repo:read', 'repo:write'],
  ['repo:read', 'org:read'],
  ['repo:write'],
  ['org:read'],
);

const entry: fc.Arbitrary<EntryIntent> = fc.record({
  place: fc.nat(13),
  permissions,
  refs: fc.oneof({ weight: 3, arbitrary: fc.array(glob, { maxLength: 4 }) }, { weight: 1, arbitrary: fc.constant([]) }),
  shapes: fc.oneof(
    { weight: 1, arbitrary: fc.array(fc.nat(20), { maxLength: 3 }) },
    { weight: 2, arbitrary: fc.constant([]) },
  ),
});

const child: fc.Arbitrary<ChildIntent> = fc.record({
  keep: fc.array(fc.boolean(), { minLength: 4, maxLength: 4 }),
  deeper: fc.array(glob, { maxLength: 2 }),
  place: fc.nat(13),
});

export const tokenIntents: fc.Arbitrary<TokenIntent> = fc.record({
  entries: fc.array(entry, { minLength: 1, maxLength: 5 }),
  children: fc.array(child, { maxLength: 2 }),
});

export interface WorldToken {
  readonly value: string;
  readonly scopes: readonly ScopeEntry[];
  readonly oracle: OracleToken;
}

interface WrittenEntry {
  readonly asked: ScopeEntry;
  readonly meant: OracleEntry;
}

export async function createWorldToken(world: World, { entries, children }: TokenIntent): Promise<WorldToken> {
  const written = entries.map((one) => writeEntry(world, one));
  const create = async (call: World['session'], some: readonly WrittenEntry[]) =>
    await call('token.create', { name: world.mark(), scopes: some.map(({ asked }) => asked) });
  let { token: value } = (await create(world.session, written)).data();
  let levels = [written.map(({ meant }) => meant)];
  let own = written;
  for (const intent of children) {
    const some = childEntries(world, own, intent);
    const answer = await create(caller(world.options.app, value), some);
    // Entries beyond the parent are refused. Another test covers that.
    if (answer.status !== 200) continue;
    value = answer.data().token;
    levels = [some.map(({ meant }) => meant), ...levels];
    own = some;
  }
  return { value, scopes: own.map(({ asked }) => asked), oracle: new OracleToken(levels) };
}

function placesOf({ repositories }: World): { org?: string; repo?: WorldRepository }[] {
  const orgs = [...new Set(repositories.map(({ orgName }) => orgName))];
  const seen = repositories.filter(({ isOwn, visibility }) => isOwn || visibility === 'public');
  return [...seen.map((repo) => ({ repo })), ...orgs.map((org) => ({ org }))];
}

function writeEntry(world: World, { place, permissions, refs, shapes }: EntryIntent): WrittenEntry {
  const where = placesOf(world)[place] ?? {};
  const { org, repo } = where;
  const reads = permissions.includes('repo:read');
  const globs = reads && refs.length > 0 ? refs.map((one) => writeGlob(world, one)) : undefined;
  const known = (repo?.records ?? world.records).filter(({ kind }) => kind === 'shape');
  const chosen = reads && shapes.length > 0 ? shapes.flatMap((n) => known[n % known.length] ?? []) : undefined;
  const resource = repo === undefined ? org : `${repo.orgName}/${repo.repoName}`;
  return {
    asked: {
      ...(resource !== undefined && { resource }),
      permissions: [...permissions],
      ...(globs && { refs: globs }),
      ...(chosen && { shapes: chosen.map(({ local }) => local) }),
    },
    meant: {
      ...where,
      permissions,
      refs: globs,
      shapes: repo === undefined ? chosen?.map(({ local }) => local) : chosen,
    },
  };
}

function writeGlob({ records }: World, { pick, form, cut }: GlobIntent): string {
  const names = records[pick % records.length]?.allNames() ?? [];
  const name = names[cut % names.length] ?? 'Signal';
  const [shapeName = '', ...rest] = name.split('/');
  switch (form) {
    case 'exact':
      return name;
    case 'below':
      return `${name.slice(0, Math.max(1, name.lastIndexOf('/')))}/**`;
    case 'segment':
      return `${name.slice(0, Math.max(1, name.lastIndexOf('/')))}/*`;
    case 'middle':
      return `*/${rest[0] ?? 'open'}/**`;
    case 'start':
      return `${name.slice(0, 1 + (cut % name.length))}${cut % 2 === 0 ? '*' : '**'}`;
    case 'end':
      return `**${name.slice(-3)}`;
    case 'all':
      return cut % 2 === 0 ? '**' : '*/*';
    case 'shape':
      return `${shapeName.slice(0, cut % 3 === 0 ? 3 : shapeName.length)}*/**`.replace(/x\*\//, 'x/');
  }
}

/** Some of the entries, some of them narrower, mostly within those of the parent. */
function childEntries(
  world: World,
  own: readonly WrittenEntry[],
  { keep, deeper, place }: ChildIntent,
): WrittenEntry[] {
  const kept = own.filter((_, index) => keep[index % keep.length] ?? true);
  const some = kept.length === 0 ? own.slice(0, 1) : kept;
  const [extra] = deeper;
  if (extra === undefined) return [...some];
  const where = placesOf(world)[place];
  return some.map(({ asked, meant }, index) => {
    if (meant.refs === undefined || meant.refs.length === 0) {
      if (!meant.permissions.includes('repo:read')) return { asked, meant };
      const refs = [writeGlob(world, extra)];
      return { asked: { ...asked, refs }, meant: { ...meant, refs } };
    }
    const refs = meant.refs.map((one) => (one.endsWith('/**') ? `${one.slice(0, -2)}open/**` : one));
    const narrower = index === 0 && meant.org === undefined && meant.repo === undefined && meant.shapes === undefined;
    const resource = narrower ? where : undefined;
    if (resource === undefined) return { asked: { ...asked, refs }, meant: { ...meant, refs } };
    const { org, repo } = resource;
    const name = repo === undefined ? (org ?? '') : `${repo.orgName}/${repo.repoName}`;
    return { asked: { ...asked, resource: name, refs }, meant: { ...meant, ...resource, refs } };
  });
}
