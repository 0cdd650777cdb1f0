// Random actions of people and tokens. They pick everything by number, because they are generated before the world
// exists.
import { type OrganizationRole, type RepositoryRole, SCOPE_NAMES, type Scope } from '@cairn/protocol/scopes';
import fc from 'fast-check';

export interface EntryIntent {
  readonly place: number;
  readonly permissions: readonly Scope[];
  readonly refs: readonly string[];
  readonly shapes: readonly string[];
  /** Number that decides how the parent's globs are extended. */
  readonly twist: number;
}

export type Expiry = 'default' | 'hour' | 'day' | 'month' | 'parent' | 'beyondParent' | 'past' | 'beyondYear';

export type ActionIntent =
  | {
      readonly do: 'create';
      readonly by: number;
      readonly from: 'fresh' | 'copy' | 'within';
      readonly entries: readonly EntryIntent[];
      readonly expiry: Expiry;
    }
  | {
      readonly do: 'rotate';
      readonly by: number;
      readonly target: number;
      readonly expiry: Expiry;
      readonly end: boolean;
    }
  | { readonly do: 'revoke'; readonly by: number; readonly target: number }
  | { readonly do: 'get'; readonly by: number; readonly target: number }
  | { readonly do: 'list'; readonly by: number; readonly limit: number }
  | { readonly do: 'probe'; readonly by: number; readonly place: number; readonly shape: number }
  | { readonly do: 'setVisibility'; readonly repo: number; readonly visibility: 'public' | 'private' }
  | { readonly do: 'transfer'; readonly repo: number; readonly org: number }
  | { readonly do: 'renameRepo'; readonly repo: number }
  | { readonly do: 'renameOrg'; readonly org: number }
  | { readonly do: 'renameShape'; readonly repo: number; readonly shape: number }
  | { readonly do: 'leave'; readonly org: number }
  | { readonly do: 'giveOrgRole'; readonly by: number; readonly org: number; readonly role: OrganizationRole }
  | { readonly do: 'giveRepoRole'; readonly by: number; readonly repo: number; readonly role: RepositoryRole | null };

export const GLOBS = [
  '**',
  'Signal/**',
  'Signal/open/**',
  'Signal/open/a',
  'Signal/*',
  'Signal/*/a',
  'Signal/**/a',
  'Signal/o*',
  'Signal/o**',
  'Sig*/**',
  '*/open/**',
  '*/open/*',
  '**/a',
  'Room/**',
  'Room/open/*',
  'Hall/**',
  '*',
  '*/*',
];
export const SHAPES = ['Signal', 'Room', 'Hall'];

const FEW: readonly (readonly Scope[])[] = [
  ['repo:read'],
  ['repo:read', 'repo:write'],
  ['repo:read', 'org:read'],
  SCOPE_NAMES,
  SCOPE_NAMES.filter((scope) => scope !== 'org:admin'),
];

const pick = fc.nat(120);
const permissions = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...FEW) },
  { weight: 1, arbitrary: fc.subarray(SCOPE_NAMES, { minLength: 1 }) },
);
const sometimes = (values: readonly string[], weight: number) =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight, arbitrary: fc.subarray([...values], { minLength: 1, maxLength: 3 }) },
  );
const entry: fc.Arbitrary<EntryIntent> = fc.record({
  place: fc.nat(9),
  permissions,
  refs: sometimes(GLOBS, 3),
  shapes: sometimes(SHAPES, 1),
  twist: fc.nat(60),
});
const expiry = fc.constantFrom<Expiry>(
  'default',
  'default',
  'hour',
  'day',
  'month',
  'parent',
  'beyondParent',
  'past',
  'beyondYear',
);

const action: fc.Arbitrary<ActionIntent> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('create' as const),
      by: pick,
      from: fc.constantFrom('fresh' as const, 'copy' as const, 'within' as const, 'within' as const),
      entries: fc.array(entry, { minLength: 1, maxLength: 3 }),
      expiry: fc.oneof({ weight: 3, arbitrary: fc.constant<Expiry>('default') }, { weight: 1, arbitrary: expiry }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('rotate' as const), by: pick, target: pick, expiry, end: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('revoke' as const), by: pick, target: pick }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('get' as const), by: pick, target: pick }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('list' as const), by: pick, limit: fc.constantFrom(1, 2, 50) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('probe' as const), by: pick, place: pick, shape: pick }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('setVisibility' as const),
      repo: pick,
      visibility: fc.constantFrom('public' as const, 'private' as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('transfer' as const), repo: pick, org: pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('renameRepo' as const), repo: pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('renameOrg' as const), org: pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('renameShape' as const), repo: pick, shape: pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leave' as const), org: pick }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('giveOrgRole' as const),
      by: pick,
      org: pick,
      role: fc.constantFrom<OrganizationRole>('viewer', 'editor', 'admin', 'owner'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('giveRepoRole' as const),
      by: pick,
      repo: pick,
      role: fc.constantFrom<RepositoryRole | null>('read', 'write', 'maintain', 'admin', null),
    }),
  },
);

export const actionIntents = fc.array(action, { minLength: 1, maxLength: 60, size: 'max' });
