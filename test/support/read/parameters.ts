// Random parameters of reads. Picks become values once a world exists. Most parameters come with the others that they
// need, but some do not.

import { MEMBER_ROLES, ORDERS } from '@cairn/protocol/read';
import type { RecordItem } from '@cairn/protocol/record';
import { RECORD_KINDS } from '@cairn/protocol/vocabulary';
import fc from 'fast-check';
import { FIELD_NAMES, NESTED_NAMES } from './field.ts';
import { pointerOf } from './path.ts';
import { at, type PredicateIntent, predicateIntents, writePredicate } from './predicate-intent.ts';
import type { WorldReader } from './reader.ts';
import type { ReadRequest } from './request.ts';

export const PARAMETERS = [
  'shape',
  'kind',
  'match',
  'where',
  'includeRetracted',
  'atRepoSeq',
  'order',
  'fields',
  'count',
  'about',
  'resolveCollections',
  'role',
  'depth',
] as const;

export type Parameter = (typeof PARAMETERS)[number];

export interface ReadIntent {
  readonly route: 'head' | 'query' | 'about';
  readonly reader: number;
  readonly limits: readonly number[];
  readonly isRest: boolean;
  readonly brings: boolean;
  readonly seq: number;
  readonly shape: number;
  readonly kind: number;
  readonly match: { readonly pick: number; readonly form: number; readonly cut: number };
  readonly where: readonly PredicateIntent[];
  readonly flag: boolean;
  readonly order: number;
  readonly fields: readonly number[];
  readonly target: TargetIntent;
  readonly role: number;
  readonly depth: number;
}

interface TargetIntent {
  readonly pick: number;
  readonly form: number;
  readonly pin: number;
}

const nat = fc.noBias(fc.nat(10_000));
/** True nine times out of ten. fc.noBias keeps small numbers from being more frequent. */
const mostly = fc.noBias(fc.nat(9)).map((dice) => dice > 0);

export const readIntents: fc.Arbitrary<ReadIntent> = fc.record({
  route: fc.constantFrom('head', 'query', 'query', 'about', 'about'),
  reader: nat,
  limits: fc.array(fc.constantFrom(1, 2, 3, 5, 8, 13, 50, 500), { minLength: 1, maxLength: 3 }),
  isRest: fc.boolean(),
  brings: mostly,
  seq: nat,
  shape: nat,
  kind: nat,
  match: fc.record({ pick: nat, form: nat, cut: nat }),
  where: fc.oneof(
    fc.tuple(predicateIntents),
    fc.tuple(predicateIntents),
    fc.array(predicateIntents, { minLength: 2, maxLength: 3 }),
  ),
  flag: mostly,
  order: nat,
  fields: fc.uniqueArray(fc.nat(60), { minLength: 1, maxLength: 4 }),
  target: fc.record({ pick: nat, form: nat, pin: nat }),
  role: nat,
  depth: nat,
});

export async function writeRequest(
  { owner, reader }: { owner: WorldReader; reader: WorldReader },
  intent: ReadIntent,
  parameters: ReadonlySet<Parameter>,
): Promise<ReadRequest> {
  const wanted = withNeeds(parameters, intent);
  const atRepoSeq = wanted.has('atRepoSeq') ? intent.seq % (owner.world.repoSeq + 1) : undefined;
  const view = await owner.viewAt(atRepoSeq ?? owner.world.repoSeq);
  const route = routeOf(intent, wanted);
  const seen = intent.target.form % 5 === 0 ? view : await reader.viewAt(atRepoSeq ?? owner.world.repoSeq);
  const target = writeTarget(intent.target, { owner, view: seen, mayLeave: atRepoSeq === undefined });
  const shape = shapeOf(intent, seen);
  const values: Required<Omit<ReadRequest, 'route' | 'wref'>> = {
    shape: shape.name,
    kind: at(RECORD_KINDS, intent.kind),
    match: writeMatch(intent.match, view),
    where: intent.where.map((one) => writePredicate(one, { owner, view, shape, mayLeave: atRepoSeq === undefined })),
    includeRetracted: intent.flag,
    atRepoSeq: atRepoSeq ?? 0,
    order: at(ORDERS, intent.order),
    fields: intent.fields.map((pick) => at(FIELD_PATHS, pick)),
    count: intent.flag,
    about: target,
    resolveCollections: intent.flag,
    role: at(MEMBER_ROLES, intent.role),
    depth: 1 + (intent.depth % 3),
  };
  const given = Object.entries(values).filter(([name]) => wanted.has(name as Parameter));
  if (route !== 'about') return { route, ...Object.fromEntries(given) };
  return { route, wref: target, ...Object.fromEntries(given.filter(([name]) => name !== 'about')) };
}

const ABOUT_OPTIONS = ['resolveCollections', 'role', 'depth'] as const;

function withNeeds(parameters: ReadonlySet<Parameter>, { route, brings, flag }: ReadIntent): Set<Parameter> {
  const wanted = new Set(parameters);
  if (!brings) return wanted;
  if (wanted.has('where')) wanted.add('shape');
  if (wanted.has('role') && flag) wanted.add('resolveCollections');
  if (route !== 'about' && ABOUT_OPTIONS.some((name) => wanted.has(name))) wanted.add('about');
  return wanted;
}

function routeOf({ route, seq }: ReadIntent, wanted: ReadonlySet<Parameter>): ReadRequest['route'] {
  const needsAbout = wanted.has('about') || ABOUT_OPTIONS.some((name) => wanted.has(name));
  if (needsAbout) return route === 'head' ? 'query' : route;
  // Few assertions are about one record, so most filters would leave nothing.
  return route === 'about' && seq % 2 === 0 ? 'head' : route;
}

const FIELD_PATHS: readonly string[] = [
  ...FIELD_NAMES.map((name) => pointerOf([name])),
  ...FIELD_NAMES.filter((name) => !/[.~/]/.test(name)),
  ...NESTED_NAMES.map((name) => `pos.${name}`),
  ...NESTED_NAMES.map((name) => pointerOf(['pos', name])),
  'any.x',
  'tags.0',
  'a.b',
  'nothing',
  'from',
  'ends',
  'members',
  'items',
  'first',
  'fields',
  'fields.text?',
  'description',
  '/fields/a.b?/type',
  '/any/',
];

interface FoundShape {
  readonly name: string;
  readonly item: RecordItem | undefined;
}

/** Usually a shape with records, otherwise any shape or an unknown one. */
function shapeOf({ shape }: ReadIntent, view: readonly RecordItem[]): FoundShape {
  const shapes = view.filter(({ kind }) => kind === 'shape');
  const used = shapes.filter(({ name }) => view.some((item) => item.shapeName === name && item.kind !== 'collection'));
  if (shapes.length === 0 || shape % 20 === 0) return { name: 'Nothing', item: undefined };
  const item = at(used.length === 0 || shape % 7 === 0 ? shapes : used, shape);
  return { name: item.name, item };
}

function writeMatch({ pick, form, cut }: ReadIntent['match'], view: readonly RecordItem[]): string {
  const name = view.length === 0 ? 'Alpha/a' : at(view, pick).name;
  const letters = [...name];
  const [head, tail] = [letters.slice(0, 1 + (cut % letters.length)).join(''), letters.slice(-1 - (cut % 4)).join('')];
  const [shapeName = '', ...rest] = name.split('/');
  const forms = [
    name,
    `${shapeName}/*`,
    `${shapeName}/**`,
    `${head}*`,
    `${head}**`,
    `**${tail}`,
    `*${tail}`,
    `*/${rest.at(-1) ?? 'a'}`,
    `**/${rest.at(-1) ?? 'a'}`,
    `${head}*${tail}`,
    `${head}**${tail}`,
    '*/*/*',
    '*',
    '**',
    '*/a*/**',
    name.toLowerCase(),
    `${shapeName}/a_b`,
    `${shapeName}/[a]*`,
    `${shapeName}/*/**/b`,
  ];
  return at(forms, form);
}

interface TargetSource {
  readonly owner: WorldReader;
  readonly view: readonly RecordItem[];
  /** True if it may be in another repository, which does not share this sequence. */
  readonly mayLeave: boolean;
}

const MISSING = 'Alpha/nothing';

function writeTarget({ pick, form, pin }: TargetIntent, { owner, view, mayLeave }: TargetSource): string {
  const asserted = view.filter(({ aboutDurableId }) => aboutDurableId !== undefined);
  const members = view.filter(({ kind }) => kind === 'collection').flatMap(({ refs = [] }) => refs);
  const targets = [...asserted.map((one) => String(one.aboutDurableId)), ...members.map(([, id]) => id)];
  const ids = new Set(view.map(({ durableId }) => durableId));
  const pointed = targets.filter((id) => ids.has(id.slice(0, 26)));
  if (view.length === 0 || form % 20 === 0) return MISSING;
  if (mayLeave && form % 10 === 1) return `${at(owner.world.elsewhere, pick)}${pin % 4 === 0 ? '@v1' : ''}`;
  const identity = pointed.length === 0 || form % 6 === 2 ? at(view, pick).durableId : at(pointed, pick);
  const item = view.find(({ durableId }) => durableId === identity.slice(0, 26)) ?? at(view, pick);
  const { orgName, repoName } = owner.world.main;
  const texts = [item.name, item.durableId, item.name, `wh:${orgName}/${repoName}/${item.name}`];
  const pins = [
    '',
    '',
    '',
    '',
    '',
    '',
    identity.slice(26) || '@v1',
    '@ALL',
    '@HEAD',
    `@v${item.version}`,
    `@v${item.version + 1}`,
  ];
  return `${at(texts, form)}${at(pins, pin)}`;
}
