// Fields that were written though their shape declares none of that name: most often a mistyped name, which a table of results
// would hide. They are said in sentences, each once, with what was probably meant.
import type { CommitResult } from '@cairn/protocol/commit';
import { CairnError } from '@cairn/sdk';
import { nearest } from './nearest.ts';
import type { RepoName } from './repo-name.ts';
import type { Session } from './session.ts';

const TOLD_MAX = 10;

interface Written extends RepoName {
  readonly result: CommitResult;
  readonly dryRun: boolean;
}

interface Undeclared {
  readonly shapeName: string;
  /** A JSON pointer. */
  readonly path: string;
}

/** Costs a request for each shape that is concerned, and none where every field is declared. */
export async function tellUndeclared(session: Session, { result, dryRun, ...repo }: Written): Promise<void> {
  const found = undeclaredIn(result);
  if (found.length === 0 || !session.isFollowed) return;
  const shapeNames = [...new Set(found.map(({ shapeName }) => shapeName))];
  const fields = new Map<string, object>();
  for (const shapeName of shapeNames) fields.set(shapeName, await fieldsOf(session, repo, shapeName));
  const kept = dryRun ? 'it would be stored all the same' : 'it was stored all the same';
  for (const { shapeName, path } of found.slice(0, TOLD_MAX)) {
    const meant = meantField(fields.get(shapeName) ?? {}, path);
    const question = meant === undefined ? '' : ` Did you mean "${meant}"?`;
    session.say(`${shapeName} declares no field "${dotted(path)}"; ${kept}.${question}`);
  }
  if (found.length > TOLD_MAX) session.say(`… and ${found.length - TOLD_MAX} more fields; --json shows all.`);
}

/** Each field of a shape once, however many operations have it. */
function undeclaredIn({ operations }: CommitResult): Undeclared[] {
  const found = new Map<string, Undeclared>();
  for (const { name, warnings } of operations) {
    const [shapeName = ''] = name.split('/');
    for (const path of warnings?.undeclaredFields ?? []) found.set(`${shapeName} ${path}`, { shapeName, path });
  }
  return [...found.values()];
}

/** None where the caller may not see the shape. */
async function fieldsOf({ client }: Session, { orgName, repoName }: RepoName, shapeName: string): Promise<object> {
  try {
    const { data } = await client.shape.get(orgName, repoName, shapeName);
    return objectAt(data, 'fields');
  } catch (error) {
    if (error instanceof CairnError) return {};
    throw error;
  }
}

function objectAt(value: unknown, member: string): object {
  const found = (value as Readonly<Record<string, unknown>> | null)?.[member];
  return typeof found === 'object' && found !== null ? found : {};
}

/** Only fields of the record itself are guessed at: what stands deeper can be declared in many ways. */
function meantField(fields: object, path: string): string | undefined {
  const [, name = '', ...deeper] = path.split('/').map(unescaped);
  if (deeper.length > 0) return undefined;
  const declared = Object.keys(fields).map((key) => key.replace(/\?$/, ''));
  return nearest(name, declared)[0];
}

const unescaped = (segment: string) => segment.replaceAll('~1', '/').replaceAll('~0', '~');

const dotted = (path: string) => path.split('/').slice(1).map(unescaped).join('.');
