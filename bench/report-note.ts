// Explains missed targets, by the prefix of the figure's name. The page shows them, and a test requires one for each
// missed target.

const LISTS =
  'A page is found by a walk that was made for all filters at once, with a statement for each stretch, and each of its records is rendered by itself. One statement for each query is to take its place.';
const COMMITS =
  'These figures are from before group commits got shared rounds of reads and writes (decision 62), which saved about a fifth. The remaining cost is spread over many small steps. A single writer waits for two threads to wake and for the disk.';

export const NOTES: Readonly<Record<string, string>> = {
  'point read, REST':
    'Other work on the machine disturbed this row: the bare server took a fifth more than for tRPC, whose call does more than a REST read and was faster in the same run. In quiet turns a REST read takes 110 to 145 µs.',
  'page of 50': LISTS,
  'single commit, 32 writers': COMMITS,
  'single commit, 1 writer': COMMITS,
  'start until it answers':
    'The bare server, which loads nothing of its own, takes most of this time too: Node starts, opens SQLite and listens. Cairn adds the loading of its bundle, the check of the file and the writer thread, some 200 ms. On a quiet machine it is ready after 430 to 470 ms.',
  'round trips, commit of operations':
    'From 500 operations on, a thread beside the writer checks them first. It needs the shapes, which is one read more.',
};

/** The longest matching prefix wins. */
export function noteOf(name: string): string | undefined {
  const [found] = Object.keys(NOTES)
    .filter((beginning) => name.startsWith(beginning))
    .sort((a, b) => b.length - a.length);
  return found === undefined ? undefined : NOTES[found];
}
