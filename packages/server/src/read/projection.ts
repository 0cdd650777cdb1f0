// Records with some of their fields only.
import { pointerTo, pointerTokens } from '@cairn/protocol/json-pointer';
import { isJsonObject, ownValue } from '../model/json-value.ts';
import type { RenderedRecord } from './rendered-record.rule.ts';

/** Only what stands at the paths, each dotted or a JSON pointer, through objects alone. */
export function projected(record: RenderedRecord, fields: readonly string[]): RenderedRecord {
  const data: unknown = JSON.parse(record.data);
  const kept = fields.map(stepsOf).filter((steps) => isThere(data, steps));
  const pointers = kept.map((steps) => steps.reduce(pointerTo, ''));
  const refs = record.refs === null ? [] : (JSON.parse(record.refs) as [string, string][]);
  const keptRefs = refs.filter(([path]) => pointers.some((pointer) => `${path}/`.startsWith(`${pointer}/`)));
  return {
    ...record,
    data: JSON.stringify(pick(data, kept)),
    refs: keptRefs.length === 0 ? null : JSON.stringify(keptRefs),
  };
}

function stepsOf(path: string): string[] {
  return path.startsWith('/') ? pointerTokens(path) : path.split('.');
}

function isThere(data: unknown, [step, ...rest]: readonly string[]): boolean {
  if (step === undefined) return data !== undefined;
  return isJsonObject(data) && isThere(ownValue(data, step), rest);
}

/** In the order of the data; every path is there. */
function pick(data: unknown, paths: readonly (readonly string[])[]): unknown {
  if (!isJsonObject(data) || paths.some((path) => path.length === 0)) return data;
  const members = Object.keys(data).flatMap((key): [string, unknown][] => {
    const within = paths.filter(([first]) => first === key).map((path) => path.slice(1));
    return within.length === 0 ? [] : [[key, pick(data[key], within)]];
  });
  return Object.fromEntries(members);
}
