// Whom the rows of an export mean, here. A record keeps its number in the copy, so that what lies in the exported
// repository is the record of that number in the copy. What lies elsewhere keeps its identity where the export is of this
// server, and the importer may read the record that it leads to; else the text alone stays.

import { compileNarrowing } from '../access/narrowing.rule.ts';
import type { ReadableRepository } from '../commit/reference/target-set.sql.ts';
import { FIND_FOREIGN_TARGETS_BY_ID, type TargetRow } from '../commit/reference/target-statement.sql.ts';
import type { Reader } from '../engine/database.ts';
import { formatIdentity, formatReferences, type Identity, type Reference } from '../model/reference.ts';
import { toNamed } from '../read/hidden-target.sql.ts';
import type { CheckedRow, PointedText } from './line.rule.ts';

/** A row with the identities of the copy, in their stored form. */
export interface MappedRow extends Omit<CheckedRow, 'repoId' | 'about' | 'committer'> {
  readonly refs: string | null;
  readonly about: PointedText<string> | null;
  readonly committer: PointedText<string> | null;
}

interface Mapping {
  /** The repository that was exported, in its own durable IDs. */
  readonly sourceRepoId: number;
  readonly repoId: number;
  /** Others that the importer may read. */
  readonly readable: readonly ReadableRepository[];
}

export async function mapRows(reader: Reader, rows: readonly CheckedRow[], mapping: Mapping): Promise<MappedRow[]> {
  const elsewhere = await findElsewhere(reader, rows, mapping);
  const mapIdentity = (identity: Identity): Identity | undefined => {
    if (identity.repoId === mapping.sourceRepoId) return { ...identity, repoId: mapping.repoId };
    return identity.version <= (elsewhere.get(keyOf(identity)) ?? 0) ? identity : undefined;
  };
  return rows.map(({ repoId: _, ...row }) => {
    const references = row.references.length === 0 ? row.references : mapReferences(row.references, mapIdentity);
    const [about, committer] = [row.about, row.committer].map((text) => text && mapText(text, mapIdentity));
    return {
      ...row,
      references,
      refs: formatReferences(references),
      about: about ?? null,
      committer: committer ?? null,
    };
  });
}

type MapIdentity = (identity: Identity) => Identity | undefined;

function mapReferences(references: readonly Reference[], mapIdentity: MapIdentity): Reference[] {
  return references.flatMap(({ path, ...identity }) => {
    const mapped = mapIdentity(identity);
    return mapped === undefined ? [] : [{ path, ...mapped }];
  });
}

function mapText({ wref, identity }: PointedText, mapIdentity: MapIdentity): PointedText<string> {
  const mapped = identity && mapIdentity(identity);
  return { wref, identity: mapped && formatIdentity(mapped) };
}

const keyOf = ({ repoId, recordId }: Identity) => `${repoId} ${recordId}`;

/** The last versions of records of other repositories that may be read. */
async function findElsewhere(
  reader: Reader,
  rows: readonly CheckedRow[],
  { readable }: Mapping,
): Promise<Map<string, number>> {
  const places = new Map(readable.map((place) => [place.repoId, compileNarrowing(place.narrowing)]));
  const wanted = new Map<string, Identity>();
  for (const row of places.size === 0 ? [] : rows) {
    for (const identity of [...row.references, row.about?.identity, row.committer?.identity]) {
      if (identity !== undefined && places.has(identity.repoId)) wanted.set(keyOf(identity), identity);
    }
  }
  const identities = [...wanted.values()];
  const found = await reader.bulk<TargetRow>(FIND_FOREIGN_TARGETS_BY_ID, {
    common: [],
    rows: identities.map(({ repoId, recordId }) => [repoId, recordId]),
  });
  return new Map(
    found.flatMap((target): [string, number][] => {
      const identity = identities[target.ord];
      const named = { ...target, name_now: target.name, shape_name_now: target.shape_name };
      if (identity === undefined || !places.get(identity.repoId)?.(toNamed(named))) return [];
      return [[keyOf(identity), target.version]];
    }),
  );
}
