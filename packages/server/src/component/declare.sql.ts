// Writes what a component declares: shapes, seeds and configuration in one commit, credential sets and subscriptions in
// the same transaction. It skips what is already as declared, so it is idempotent.
import { fail } from '@cairn/protocol/errors';
import { createCredentialSet } from '../action/delivery/credential-set.sql.ts';
import { lockHomes } from '../action/firing.sql.ts';
import { createSubscription } from '../action/subscription-change.write.ts';
import { type CommitInput, commit } from '../commit/commit.write.ts';
import type { WriteOrder } from '../commit/drafting.sql.ts';
import type { WriterMemory } from '../commit/record-set.sql.ts';
import type { BulkStatement, Reader, Transaction } from '../engine/database.ts';
import { requireWritable } from '../repository/repository-change.write.ts';
import {
  type ComponentPlace,
  findNamesake,
  findStandings,
  notEligible,
  obstaclesIn,
  type Standings,
} from './obstacle.sql.ts';
import {
  type DeclaredShape,
  definitionOf,
  findStandingShapes,
  isAsDeclared,
  keepSubscriptions,
  type NewDeclaredSubscription,
  ownShapes,
  releaseShapes,
  setRightSubscription,
  standingOf,
} from './resource.sql.ts';

/** A record that is created once; later changes by people stay. */
interface DeclaredRecord {
  readonly shape: string;
  readonly name: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface DeclaredResources {
  readonly shapes: readonly DeclaredShape[];
  readonly credentials: readonly { name: string; description: string }[];
  readonly subscriptions: readonly NewDeclaredSubscription[];
  readonly records: readonly DeclaredRecord[];
}

export interface KeptNames {
  readonly shapes: readonly string[];
  readonly subscriptions: readonly string[];
}

export interface Declaration extends WriteOrder {
  readonly installId: string;
  readonly componentId: number;
  /** Nothing is written if the install was paused or has another manifest by now. */
  readonly manifestHash: string;
  readonly resources: DeclaredResources;
  readonly kept?: KeptNames | undefined;
  readonly now: number;
}

export interface Declared {
  readonly repoSeq: number | undefined;
}

export async function declareResources(tx: Transaction, input: Declaration, memory: WriterMemory): Promise<Declared> {
  const { grant, installId, componentId, resources, kept, now } = input;
  const { repoId } = grant;
  await lockHomes(tx, [repoId]);
  await requireWritable(tx, grant);
  await requireManifest(tx, input);
  const { fullName: component, name: componentName } = await lockComponent(tx, componentId);
  const place = { repoId, installId, component };
  const standings = await findStandings(tx, repoId, resources);
  const namesake = kept && (await findNamesake(tx, { repoId, componentId }));
  const obstacles = [...obstaclesIn(place, resources, standings), ...(namesake === undefined ? [] : [namesake])];
  if (obstacles.length > 0) throw notEligible(obstacles);
  const install = { installId, componentName };
  const repoSeq = await commitRecords(tx, { ...input, component, install }, standings, memory);
  await takeShapes(tx, place, { declared: resources.shapes, standings });
  await makeSets(tx, input, { component, standings });
  await makeSubscriptions(tx, input, { component, standings });
  if (kept !== undefined) {
    await releaseShapes(tx, { repoId, installId, kept: kept.shapes, now });
    await keepSubscriptions(tx, { ...input, component }, kept.subscriptions);
  }
  return { repoSeq };
}

async function requireManifest(tx: Transaction, { grant, installId, manifestHash }: Declaration): Promise<void> {
  const [row] = await tx.query<{ state: string; manifest_hash: string }>(
    'select state, manifest_hash from component_install where repo_id = $1 and install_id = $2',
    [grant.repoId, installId],
  );
  const stands = row !== undefined && row.state !== 'uninstalled' && row.state !== 'paused';
  if (stands && row.manifest_hash === manifestHash) return;
  throw fail('CONFLICT', {
    message:
      'In the meantime the component was paused, torn down, or installed in another version. Resume it, or run the install again.',
    details: { reason: 'overtaken' },
  });
}

/** Also locks the organization, because its rename would change the names of the component's resources. */
export async function lockComponent(
  tx: Transaction,
  componentId: number,
): Promise<{ name: string; fullName: string; visibility: 'public' | 'private' }> {
  const [component] = await tx.query<{ name: string; visibility: 'public' | 'private'; organization_id: number }>(
    'select name, visibility, organization_id from component where id = $1',
    [componentId],
  );
  if (component === undefined) throw new Error('an installed component cannot be found');
  const [organization] = await tx.query<{ name: string }>(
    `select name from organization where id = $1 ${tx.forUpdate}`,
    [component.organization_id],
  );
  const { name, visibility } = component;
  return { name, visibility, fullName: `${organization?.name}/${name}` };
}

async function commitRecords(
  tx: Transaction,
  { resources, ...order }: Declaration,
  standings: Standings,
  memory: WriterMemory,
): Promise<number | undefined> {
  const records = await findNew(tx, order.grant.repoId, resources.records);
  const operations = [
    ...shapeOperations(resources.shapes, { installId: order.installId, standings }),
    ...records.map(({ shape, name, data }) => ({ kind: 'thing', name: `${shape}/${name}`, data })),
  ];
  if (operations.length === 0) return undefined;
  const input: CommitInput = { ...order, operations, atomic: true, skipExisting: true };
  return (await commit(tx, input, memory)).repoSeq;
}

function shapeOperations(
  declared: readonly DeclaredShape[],
  { installId, standings }: { installId: string; standings: Standings },
): object[] {
  return declared.flatMap((shape) => {
    const found = standings.shapes.get(shape.name);
    const change = { kind: 'shape', name: shape.name, data: definitionOf(shape) };
    if (found === undefined) return [{ operation: 'add', ...change }];
    const isRevised = standingOf(shape, found, { installId }) === 'own' && !isAsDeclared(found, shape);
    return isRevised ? [{ operation: 'revise', ...change }] : [];
  });
}

/** Searches names of all times, so that a renamed seed is not created again. */
const FIND_MADE: BulkStatement = {
  single: true,
  each: `select s.record_id from name s join name n on n.repo_id = s.repo_id and n.shape_id = s.record_id and n.name = $3
    where s.repo_id = $1 and s.shape_id = 0 and s.name = $2 and s.to_seq is null limit 1`,
  set: `select k.ord::int as ord, s.record_id from unnest($2::text[], $3::text[]) with ordinality as k (shape, name, ord)
    cross join lateral (select record_id from name
      where repo_id = $1 and shape_id = 0 and name = k.shape collate "C" and to_seq is null limit 1) as s
    cross join lateral (select record_id from name
      where repo_id = $1 and shape_id = s.record_id and name = k.name collate "C" limit 1) as n`,
};

async function findNew(
  reader: Reader,
  repoId: number,
  records: readonly DeclaredRecord[],
): Promise<readonly DeclaredRecord[]> {
  const rows = records.map(({ shape, name }) => [shape, name]);
  const made = await reader.bulk<{ record_id: number }>(FIND_MADE, { common: [repoId], rows });
  const known = new Set(made.map(({ ord }) => ord));
  return records.filter((_, ord) => !known.has(ord));
}

/** Runs after the commit, so that it stores the new versions. */
async function takeShapes(
  tx: Transaction,
  place: ComponentPlace,
  { declared, standings }: { declared: readonly DeclaredShape[]; standings: Standings },
): Promise<void> {
  const own = declared.filter((shape) => standingOf(shape, standings.shapes.get(shape.name), place) !== 'used');
  const names = own.map(({ name }) => name);
  const shapes = await findStandingShapes(tx, { repoId: place.repoId, names });
  await ownShapes(tx, { ...place, shapes: [...shapes.values()] });
}

async function makeSets(
  tx: Transaction,
  { grant, createdBy, resources, now }: Declaration,
  { component, standings }: { component: string; standings: Standings },
): Promise<void> {
  for (const { name, description } of resources.credentials) {
    if (standings.credentials.has(name)) continue;
    const made = { homeId: grant.repoId, credentialSetId: crypto.randomUUID(), name, description, component };
    await createCredentialSet(tx, { ...made, actor: createdBy, now });
  }
}

async function makeSubscriptions(
  tx: Transaction,
  { grant, createdBy, resources, now }: Declaration,
  { component, standings }: { component: string; standings: Standings },
): Promise<void> {
  const owner = { grant, component, createdBy, now };
  const home = { homeId: grant.repoId, grant };
  for (const subscription of resources.subscriptions) {
    if (standings.subscriptions.has(subscription.name)) await setRightSubscription(tx, owner, subscription);
    else await createSubscription(tx, { home, ...subscription, component, createdBy, now });
  }
}
