// A record for output, with its data still as stored text. Lists copy that text without parsing it.
import type { ListedRecord } from '@cairn/protocol/read';

type Identity =
  | 'durableId'
  | 'wref'
  | 'pinnedWref'
  | 'name'
  | 'kind'
  | 'shapeName'
  | 'collection'
  | 'version'
  | 'active';

export interface RenderedRecord {
  readonly identity: Pick<ListedRecord, Identity | 'repoSeq'>;
  readonly data: string;
  readonly refs: string | null;
  readonly origin: Omit<ListedRecord, Identity | 'repoSeq' | 'data' | 'refs'>;
}

export function toRecordItem({ identity, data, refs, origin }: RenderedRecord): ListedRecord {
  return { ...identity, data: JSON.parse(data), ...(refs !== null && { refs: JSON.parse(refs) }), ...origin };
}

export function toRecordText({ identity, data, refs, origin }: RenderedRecord): string {
  const before = identityText(identity);
  const after = JSON.stringify(origin).slice(1);
  return `${before},"data":${data},${refs === null ? '' : `"refs":${refs},`}${after}`;
}

/** Omits the closing brace. Only names can contain characters that JSON escapes. */
function identityText(identity: RenderedRecord['identity']): string {
  const { durableId, wref, pinnedWref, name, kind, shapeName, collection, version, active, repoSeq } = identity;
  const quoted = JSON.stringify(name);
  const named = `{"durableId":"${durableId}","wref":${wref === name ? quoted : JSON.stringify(wref)},"pinnedWref":${JSON.stringify(pinnedWref)},"name":${quoted},"kind":"${kind}"`;
  const shaped = shapeName === undefined ? '' : `,"shapeName":"${shapeName}"`;
  const collected = collection === undefined ? '' : `,"collection":"${collection}"`;
  return `${named}${shaped}${collected},"version":${version},"active":${active},"repoSeq":${repoSeq}`;
}
