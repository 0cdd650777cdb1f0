// Paths into data, with dots or as a JSON pointer, and the values there.
import type { RecordItem } from '@cairn/protocol/record';

export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function stepsOf(path: string): string[] {
  if (!path.startsWith('/')) return path.split('.');
  const steps = path.slice(1).split('/');
  return steps.map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function pointerOf(steps: readonly string[]): string {
  return steps.map((step) => `/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** Follows objects only; `undefined` if there is no value. */
export function valueAt(data: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>(
    (value, step) => (isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined),
    data,
  );
}

/** The identity that the data refers to at a path; `undefined` if it shows no reference there. */
export function referenceAt({ refs = [] }: RecordItem, steps: readonly string[]): Identity | undefined {
  const pointer = pointerOf(steps);
  const found = refs.find(([path]) => path === pointer);
  return found && identityIn(found[1]);
}

export interface Identity {
  readonly durableId: string;
  readonly version: number | undefined;
}

export function identityIn(text: string): Identity {
  const [durableId = '', version] = text.split('@v');
  return { durableId, version: version === undefined ? undefined : Number(version) };
}

/** Keeps only the values at the paths and the references in them. */
export function project(item: RecordItem, paths: readonly string[]): RecordItem {
  const kept = paths.map(stepsOf).filter((steps) => valueAt(item.data, steps) !== undefined);
  let data: JsonObject = {};
  for (const steps of kept) data = withValue(data, steps, valueAt(item.data, steps));
  const refs = item.refs?.filter(([pointer]) => kept.some((steps) => `${pointer}/`.startsWith(`${pointerOf(steps)}/`)));
  return { ...item, data, ...(refs && { refs }) };
}

function withValue(data: JsonObject, [step, ...rest]: readonly string[], value: unknown): JsonObject {
  if (step === undefined) return data;
  const before = Object.hasOwn(data, step) ? data[step] : {};
  const after = rest.length === 0 ? value : withValue(isObject(before) ? before : {}, rest, value);
  return { ...data, [step]: after };
}
