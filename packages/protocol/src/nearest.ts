// Suggests the words that somebody probably meant by a mistyped one; for people, and for models.

const EDITS_MAX = 2;

/** The nearest candidates, if any is near enough to be the intended word. */
export function nearest(word: string, candidates: readonly string[]): string[] {
  const near = candidates
    .map((candidate) => ({ candidate, edits: editsBetween(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= Math.min(EDITS_MAX, candidate.length / 2));
  const fewest = Math.min(...near.map(({ edits }) => edits));
  return near.filter(({ edits }) => edits === fewest).map(({ candidate }) => candidate);
}

/** Edit distance: letters inserted, deleted, replaced, or swapped with their neighbour. */
function editsBetween(from: string, to: string): number {
  const edits = [Array.from({ length: to.length + 1 }, (_, index) => index)];
  const at = (i: number, j: number) => edits[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    edits.push(row);
    for (let j = 1; j <= to.length; j += 1) {
      const isSwapped = from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      const replaced = at(i - 1, j - 1) + (from[i - 1] === to[j - 1] ? 0 : 1);
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, replaced, isSwapped ? at(i - 2, j - 2) + 1 : replaced));
    }
  }
  return at(from.length, to.length);
}
