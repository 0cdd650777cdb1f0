// Assertions about a record: directly, through collections that contain it, and about each other.
import type { RecordItem } from '@cairn/protocol/record';
import { type Identity, identityIn } from './path.ts';
import type { ReadRequest } from './request.ts';

export function assertionsAbout(
  view: readonly RecordItem[],
  target: Identity,
  request: ReadRequest,
): readonly RecordItem[] {
  const { includeRetracted = false, depth = 1 } = request;
  const shown = view.filter(({ kind, active }) => kind === 'assertion' && (active || includeRetracted));
  const collections = new Set(collectionsOf(view, target, request));
  const found = new Set<string>();
  let level = shown.filter((one) => isAbout(one, target) || collections.has(targetIn(one)?.durableId ?? ''));
  for (let reached = 1; reached <= depth; reached++) {
    const ids = new Set(level.map(({ durableId }) => durableId));
    for (const id of ids) found.add(id);
    level = shown.filter((one) => ids.has(targetIn(one)?.durableId ?? ''));
  }
  return shown.filter(({ durableId }) => found.has(durableId));
}

function targetIn({ aboutDurableId }: RecordItem): Identity | undefined {
  return aboutDurableId === undefined ? undefined : identityIn(aboutDurableId);
}

function isAbout(assertion: RecordItem, { durableId, version }: Identity): boolean {
  const target = targetIn(assertion);
  return target?.durableId === durableId && (version === undefined || target.version === version);
}

/**
 * Collections that contain the record, in a given version if there is one. Only active ones, unless the request asks
 * for retracted ones.
 */
function collectionsOf(
  view: readonly RecordItem[],
  { durableId, version }: Identity,
  { resolveCollections = false, includeRetracted = false, role }: ReadRequest,
): string[] {
  if (!resolveCollections) return [];
  const isIt = (target: Identity) =>
    target.durableId === durableId && (version === undefined || target.version === version);
  const holdsIt = ({ refs = [] }: RecordItem) =>
    refs.some(([path, target]) => isIt(identityIn(target)) && (role === undefined || placeIn(path) === role));
  return view
    .filter((one) => one.kind === 'collection' && (one.active || includeRetracted) && holdsIt(one))
    .map((one) => one.durableId);
}

const placeIn = (pointer: string) => pointer.split('/')[1];
