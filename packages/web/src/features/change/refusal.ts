// Collects every problem of a change; the server reports only the first kind.
import { CairnError, type OperationResult } from '@cairn/sdk';
import { memberPaths } from '../record/wref.ts';
import { type Added, type Change, isNamed, unusedPlaceholder } from './change.ts';

export type Refusal = NonNullable<OperationResult['error']>;

interface Detail {
  readonly path: string;
  readonly message: string;
}

type Ask = (change: Change) => Promise<Refusal | undefined>;

/** A refused name or subject hides problems of the data, so the rest is validated with a stand-in. */
export async function refusalOf(change: Change, others: readonly Change[], ask: Ask): Promise<CairnError | undefined> {
  const told: Detail[] = [];
  let first: Refusal | undefined;
  let tried: Change | undefined = change;
  while (tried !== undefined) {
    const refusal: Refusal | undefined = await ask(tried);
    if (refusal === undefined) break;
    first ??= refusal;
    // Problems of the stand-in do not count.
    const before = new Set(told.map(({ path }) => path));
    told.push(...detailsOf(tried, refusal).filter(({ path }) => !before.has(path)));
    tried = mendedAt(change, tried, { paths: told.map(({ path }) => path), others });
  }
  return first && new CairnError(first.code, { message: first.message, details: told });
}

const OWN = ['kind', 'name', 'newName', 'about', 'type', 'members', 'reason', 'data'];

function detailsOf(change: Change, { code, message, details }: Refusal): readonly Detail[] {
  if (!Array.isArray(details)) {
    const isName = code === 'ALREADY_EXISTS' || code === 'RESERVED_NAME';
    return [{ path: isName ? namePathOf(change) : '', message: takenMessage(details) ?? message }];
  }
  return inFields(change, code, details);
}

export function inFields(change: Change, code: string, details: readonly Detail[]): readonly Detail[] {
  const kind = change.step === 'add' ? change.kind : change.base.kind;
  return details.flatMap((detail) => {
    const [, part = '', place] = detail.path.split('/');
    if (part === 'members' && change.step === 'add' && change.collection !== undefined) {
      const said = memberPaths(change.collection, change.data, place === undefined ? undefined : Number(place));
      return said.map(({ path, isUnchosen }) => ({
        ...detail,
        path: `/data/${path}`,
        // The server's message counts members.
        ...(isUnchosen && { message: 'Choose a record.' }),
      }));
    }
    const isOwn = code !== 'SHAPE_MISMATCH' && OWN.includes(part);
    return kind === 'shape' || isOwn ? detail : { ...detail, path: `/data${detail.path}` };
  });
}

/** The server suggests operations, which do not apply to forms. */
function takenMessage(details: unknown): string | undefined {
  const { name, currentVersion } = (details ?? {}) as { name?: string; currentVersion?: number };
  if (name === undefined || currentVersion === undefined) return undefined;
  return `${name} already exists, or is retracted. Choose another name, or open it and revise it.`;
}

const namePathOf = ({ step }: Change) => (step === 'rename' ? '/newName' : '/name');

interface Refused {
  readonly paths: readonly string[];
  readonly others: readonly Change[];
}

/** The shape always exists, and can stand in for a subject. */
const shapeOf = ({ name }: Change): string => name.split('/')[0] ?? '';
const STAND_IN_SHAPE = 'Unnamed-Shape';

function mendedAt(change: Change, tried: Change, { paths, others }: Refused): Added | undefined {
  if (change.step !== 'add' || tried.step !== 'add') return undefined;
  const isRefused = (path: string) => paths.includes(path);
  const isShape = change.kind === 'shape';
  if (isRefused('/name') && tried.name === change.name && (isShape || isNamed(change))) {
    return { ...tried, name: isShape ? STAND_IN_SHAPE : `${shapeOf(change)}/${unusedPlaceholder(others)}` };
  }
  if (isRefused('/about') && tried.about === change.about) return { ...tried, about: shapeOf(change) };
  return undefined;
}
