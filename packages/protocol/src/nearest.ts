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
  const rows = [Array.from({ length: to.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) row.push(editsAt({ from, to, rows, row }, i, j));
    rows.push(row);
  }
  return rows.at(-1)?.at(-1) ?? 0;
}

interface Table {
  readonly from: string;
  readonly to: string;
  readonly rows: readonly (readonly number[])[];
  readonly row: readonly number[];
}

function editsAt({ from, to, rows, row }: Table, i: number, j: number): number {
  const at = (line: readonly number[] | undefined, index: number) => line?.[index] ?? Number.POSITIVE_INFINITY;
  const isSame = from[i - 1] === to[j - 1];
  const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
  return Math.min(
    at(rows[i - 1], j) + 1,
    at(row, j - 1) + 1,
    at(rows[i - 1], j - 1) + (isSame ? 0 : 1),
    isSwapped ? at(rows[i - 2], j - 2) + 1 : Number.POSITIVE_INFINITY,
  );
}
