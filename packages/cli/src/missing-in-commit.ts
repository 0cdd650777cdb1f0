// What somebody probably meant by names in a commit that are not there: the record that an operation changes, the shape of one
// that it adds, and what its data refers to.
import { pointerTokens } from '@cairn/protocol/json-pointer';
import { CairnError } from '@cairn/sdk';
import { didYouMean, hinted, nearNames, nearShapes, type Place } from './near-name.ts';
import { type Failure, failuresIn } from './operation-place.ts';

/** Each costs some requests. */
const LOOKED_UP_MAX = 3;

interface Missing {
  readonly name: string;
  /** Whether it is the shape of a new record that is not there. */
  readonly isOfNew: boolean;
}

type Operation = Readonly<Record<string, unknown>>;

type Failed = Pick<Failure, 'index' | 'code' | 'details'>;

/** The refusal of a commit, with what is near to names that it did not find. */
export async function withNearInCommit(place: Place, operations: readonly unknown[], error: unknown): Promise<unknown> {
  if (!(error instanceof CairnError)) return error;
  const hint = await nearInCommit(place, operations, failuresIn(error.details));
  return hint === undefined ? error : hinted(error, hint);
}

/** Undefined where nothing was missing, or nothing is near. */
export async function nearInCommit(
  place: Place,
  operations: readonly unknown[],
  failed: readonly Failed[],
): Promise<string | undefined> {
  const all = failed.flatMap((failure) => missingIn((operations[failure.index] ?? {}) as Operation, failure));
  const missing = [...new Map(all.map((one) => [one.name, one])).values()].slice(0, LOOKED_UP_MAX);
  const found = await Promise.all(missing.map(async (one) => ({ ...one, near: await nearTo(place, one) })));
  const told = found.filter(({ near }) => near.length > 0);
  const [first] = told;
  if (first === undefined) return undefined;
  if (missing.length === 1) return didYouMean(first.near);
  return told.map(({ name, near }) => `Instead of ${name}, did you mean ${near.join(' or ')}?`).join(' ');
}

async function nearTo(place: Place, { name, isOfNew }: Missing): Promise<string[]> {
  return isOfNew ? await nearShapes({ ...place, name }) : await nearNames({ ...place, name });
}

function missingIn(operation: Operation, { code, details }: Failed): Missing[] {
  const { name } = operation;
  if (code === 'NOT_FOUND') return typeof name === 'string' ? [{ name, isOfNew: false }] : [];
  if (code !== 'TARGET_NOT_FOUND' || !Array.isArray(details)) return [];
  return details.flatMap(({ path, message }: { path: string; message: string }): Missing[] => {
    if (path === '/name') return typeof name === 'string' ? [{ name, isOfNew: true }] : [];
    // A place is one in the data, or where there is none in the operation itself: `/about`, `/members/1`.
    const named = [operation.data, operation]
      .map((value) => valueAt(value, path))
      .find((text) => isTold(text, message));
    return typeof named === 'string' ? [{ name: named, isOfNew: false }] : [];
  });
}

const isTold = (text: unknown, message: string) => typeof text === 'string' && message.includes(` ${text}`);

/** By a JSON pointer. */
function valueAt(value: unknown, pointer: string): unknown {
  return pointerTokens(pointer).reduce<unknown>(
    (at, name) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? (at as Operation)[name] : undefined,
    value,
  );
}
