// The message that is proposed for a commit: a log of commits that say nothing helps nobody.
import { type Change, titleOf } from './change.ts';

export function messageOf(changes: readonly Change[]): string {
  const others = changes.filter((change) => takenBackBy(change) === undefined);
  const back = [...new Set(changes.flatMap((change) => takenBackBy(change) ?? []))].sort((one, other) => one - other);
  if (back.length === 0) return toldOf(others);
  return others.length === 0 ? takeBackMessage(back) : `${toldOf(others)}; takes back ${commitsOf(back)}`;
}

export const takeBackMessage = (repoSeqs: readonly number[]): string => `Take back ${commitsOf(repoSeqs)}`;

const commitsOf = (repoSeqs: readonly number[]): string =>
  `${repoSeqs.length === 1 ? 'commit' : 'commits'} ${repoSeqs.join(', ')}`;

const takenBackBy = (change: Change): number | undefined =>
  change.step === 'add' ? undefined : change.takenBack?.repoSeq;

function toldOf([first, ...others]: readonly Change[]): string {
  if (first === undefined) return '';
  return others.length === 0 ? whyOf(first) : `${titleOf(first)}, and ${others.length} more`;
}

/** Who has said why is not asked again. */
function whyOf(change: Change): string {
  const [reason = ''] = change.step === 'retract' ? change.reason.trim().split('\n') : [];
  return reason === '' ? titleOf(change) : `${titleOf(change)}: ${reason}`;
}
