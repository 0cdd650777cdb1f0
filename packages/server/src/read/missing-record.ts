// What is said of a record that is not there: missing or hidden, in the same words, with what may help.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { formatCanonical, repositoryIn } from '../model/wref.ts';
import { findPresentName } from './former-name.sql.ts';
import type { LocatedWref } from './wref.ts';

interface Missing {
  readonly wref: string;
  readonly hint?: string | undefined;
  /** What was asked for. */
  readonly what?: 'record' | 'shape' | undefined;
  /** As the caller asked for it; undefined of who asked as of now. */
  readonly atRepoSeq: number | undefined;
}

export function recordNotFound({ repository }: Grant, { wref, hint, what = 'record', atRepoSeq }: Missing): CairnError {
  const when = atRepoSeq === undefined ? '' : ` at sequence ${atRepoSeq}`;
  const where = repositoryIn(wref) !== undefined ? 'that you may read' : `in ${repository.orgName}/${repository.name}`;
  return fail('NOT_FOUND', {
    message: `There is no ${what} ${wref} ${where}${when}.`,
    ...(hint !== undefined && { hint }),
  });
}

interface Asked extends Missing {
  /** Where the wref leads; undefined where the caller may not read. */
  readonly located: LocatedWref | undefined;
}

/** The same for who asked as of now, with the name that the record has since it was renamed. */
export async function missingRecord(
  context: Context,
  grant: Grant,
  { located, ...missing }: Asked,
): Promise<CairnError> {
  const isAsOfNow = missing.atRepoSeq === undefined;
  if (missing.hint !== undefined || located === undefined || !isAsOfNow || !('name' in located.wref)) {
    return recordNotFound(grant, missing);
  }
  const present = await findPresentName(context.store.database, located.grant, located.wref.name);
  if (present === undefined) return recordNotFound(grant, missing);
  return recordNotFound(grant, {
    ...missing,
    hint: `It was renamed: ask for ${nameFrom(grant, located.grant, present)}.`,
  });
}

function nameFrom({ repoId }: Grant, { repoId: homeId, repository }: Grant, name: string): string {
  return homeId === repoId ? name : formatCanonical({ orgName: repository.orgName, repoName: repository.name, name });
}
