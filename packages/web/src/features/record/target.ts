// The records that a record refers to, by identity.
import { pointerTokens } from '@cairn/protocol/json-pointer';
import type { RecordItem } from '@cairn/sdk';

/** A durable ID without the version. */
export const identityOf = (durableId: string): string => durableId.replace(/@v\d+$/, '');

const isHere = (wref: unknown): boolean => typeof wref === 'string' && !wref.startsWith('wh:');

/** Which record a reference means, if it is one of this repository. */
export const targetHere = (wref: unknown, durableId: string | undefined): string | undefined =>
  durableId !== undefined && isHere(wref) ? identityOf(durableId) : undefined;

/** Each once; those of other repositories are not among them, since they have sequences of their own. */
export function targetsOf({
  data,
  refs = [],
  aboutWref,
  aboutDurableId,
}: Pick<RecordItem, 'data' | 'refs' | 'aboutWref' | 'aboutDurableId'>): string[] {
  const inData = refs.filter(([pointer]) => isHere(valueAt(data, pointer))).map(([, id]) => id);
  const about = aboutDurableId !== undefined && isHere(aboutWref) ? [aboutDurableId] : [];
  return [...new Set([...about, ...inData].map(identityOf))];
}

/** `undefined` where there is nothing. */
export function valueAt(data: unknown, pointer: string): unknown {
  let value = data;
  for (const token of pointerTokens(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token)) return undefined;
    value = (value as Record<string, unknown>)[token];
  }
  return value;
}
