// Finds existing resources that prevent an install, because a component never takes over what people have made.

import type { RecordName } from '@cairn/model/wref';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { BulkStatement, Reader } from '../engine/database.ts';
import { type DeclaredShape, findStandingShapes, type StandingShape, standingOf } from './resource.sql.ts';

export interface ComponentPlace {
  readonly repoId: number;
  readonly installId: string;
  readonly component: string;
}

export interface DeclaredNames {
  readonly shapes: readonly DeclaredShape[];
  readonly credentials: readonly { readonly name: string }[];
  readonly subscriptions: readonly { readonly name: string }[];
}

export interface Standings {
  readonly shapes: ReadonlyMap<string, StandingShape>;
  readonly credentials: ReadonlyMap<string, string | null>;
  readonly subscriptions: ReadonlyMap<string, string | null>;
}

const namedIn = (table: 'credential_set' | 'subscription'): BulkStatement => ({
  single: true,
  each: `select component from ${table} where repo_id = $1 and name = $2`,
  set: `select k.ord::int as ord, t.component from unnest($2::text[]) with ordinality as k (name, ord)
    cross join lateral (select component from ${table} where repo_id = $1 and name = k.name collate "C" limit 1) as t`,
});

const FIND_SETS = namedIn('credential_set');
const FIND_SUBSCRIPTIONS = namedIn('subscription');

export async function findStandings(reader: Reader, repoId: number, declared: DeclaredNames): Promise<Standings> {
  const names = declared.shapes.map(({ name }) => name);
  return {
    shapes: await findStandingShapes(reader, { repoId, names }),
    credentials: await findNamed(reader, FIND_SETS, { repoId, named: declared.credentials }),
    subscriptions: await findNamed(reader, FIND_SUBSCRIPTIONS, { repoId, named: declared.subscriptions }),
  };
}

async function findNamed(
  reader: Reader,
  statement: BulkStatement,
  { repoId, named }: { repoId: number; named: readonly { readonly name: string }[] },
): Promise<Map<string, string | null>> {
  const rows = await reader.bulk<{ component: string | null }>(statement, {
    common: [repoId],
    rows: named.map(({ name }) => [name]),
  });
  return new Map(rows.map(({ ord, component }) => [named[ord]?.name ?? '', component]));
}

export function obstaclesIn(place: ComponentPlace, declared: DeclaredNames, standings: Standings): string[] {
  const shapes = declared.shapes.flatMap((shape) => {
    const found = standings.shapes.get(shape.name);
    return found !== undefined && standingOf(shape, found, place) === 'obstacle' ? [shapeInTheWay(shape, found)] : [];
  });
  const isForeign = (held: ReadonlyMap<string, string | null>, name: string) =>
    held.has(name) && held.get(name) !== place.component;
  const sets = declared.credentials.filter(({ name }) => isForeign(standings.credentials, name));
  const subscriptions = declared.subscriptions.filter(({ name }) => isForeign(standings.subscriptions, name));
  return [
    ...shapes,
    ...sets.map(({ name }) => `A credential set ${name} exists that this component did not create. Delete it.`),
    ...subscriptions.map(
      ({ name }) => `A subscription ${name} exists that this component did not create. Rename or delete it.`,
    ),
  ];
}

function shapeInTheWay({ name }: DeclaredShape, { active, owner }: StandingShape): string {
  if (owner !== undefined && !owner.released) {
    return `The shape ${name} belongs to another component and has other fields. Tear that component down, and rename the shape.`;
  }
  if (!active) return `The shape ${name} is retracted. Revise it to restore it, or rename it.`;
  return `A shape ${name} exists with other fields. Rename it, or give it the fields that the manifest declares.`;
}

/** Two components with the same name would share one ComponentConfig record. */
export async function findNamesake(
  reader: Reader,
  { repoId, componentId }: { repoId: number; componentId: number },
): Promise<string | undefined> {
  const [row] = await reader.query<{ name: string }>(
    `select own.name from component own
     join component other on other.name = own.name and other.id <> own.id
     join component_install i on i.component_id = other.id and i.repo_id = $1 and i.state <> 'uninstalled'
     where own.id = $2 limit 1`,
    [repoId, componentId],
  );
  return row && `Another component with the name ${row.name} is installed here. Tear it down first.`;
}

export function notEligible(reasons: readonly string[]): CairnError {
  return fail('CONFLICT', {
    message: `The component cannot be installed here: ${reasons.join(' ')}`,
    details: { reason: 'not_eligible', reasons },
  });
}

const FIND_ACTIVE: BulkStatement = {
  single: true,
  each: `select r.record_id from name s
    join name n on n.repo_id = s.repo_id and n.shape_id = s.record_id and n.name = $3 and n.to_seq is null
    join record r on r.repo_id = n.repo_id and r.record_id = n.record_id and r.active = 1
    where s.repo_id = $1 and s.shape_id = 0 and s.name = $2 and s.to_seq is null limit 1`,
  set: `select k.ord::int as ord, r.record_id
    from unnest($2::text[], $3::text[]) with ordinality as k (shape, name, ord)
    cross join lateral (select record_id from name
      where repo_id = $1 and shape_id = 0 and name = k.shape collate "C" and to_seq is null limit 1) as s
    cross join lateral (select record_id from name
      where repo_id = $1 and shape_id = s.record_id and name = k.name collate "C" and to_seq is null limit 1) as n
    cross join lateral (select record_id from record
      where repo_id = $1 and record_id = n.record_id and active = 1 limit 1) as r`,
};

export async function findActive(
  reader: Reader,
  { repoId, names }: { repoId: number; names: readonly RecordName[] },
): Promise<boolean[]> {
  const rows = names.map(({ shapeName, local }) => [shapeName, local]);
  const found = await reader.bulk<{ record_id: number }>(FIND_ACTIVE, { common: [repoId], rows });
  const there = new Set(found.map(({ ord }) => ord));
  return names.map((_, ord) => there.has(ord));
}
