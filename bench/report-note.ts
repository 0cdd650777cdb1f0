// Why a target is not met, and what that means: one sentence or two for each, by the beginning of the figure's name. The page has
// them below its table, and a test asks for one where a target is not met.

const ONE_RECORD =
  'The bare server runs the same statements and nothing else, which takes it less than a tenth of a millisecond, so that all that a request needs besides weighs much. A profile of the server shows no single place: a seventh of its time is the write to the socket, another the statements, a twentieth each the hashes (of the token and of the entity tag) and the collection of garbage, and the rest is spread over more than sixty functions of which none takes more than a fiftieth: routes, credential, limits, rights, parameters, the answer with its headers, metrics. Tried and kept: rights that are kept until the next commit, rows in one compiled form, records that become text without detours, no turn of the event loop for a read of one step, statements that are found without their text.';

export const NOTES: Readonly<Record<string, string>> = {
  'thing.get': `${ONE_RECORD}; and tRPC between them.`,
  'head of one name': `${ONE_RECORD}.`,
  'list of 50':
    'The bare server runs the same statements, and sends a text that was made before. In a profile of this one the statements are 39 % of the time, HTTP and the socket 22 %, the text of the fifty records and the hashes that it is compared with 13 %, routes, credential, limits and metrics 12 %, the walk through the list 10 %, the cursor 3 %: what the bare server does too is six tenths of it, and what is left is spread over more than sixty functions. Tried and kept: rows in one compiled form, fifty records read by one statement, records that become text without being parsed, rights that are kept until the next commit. Tried and not kept: fewer columns in the walk, a condition of one JSON function instead of two, neither of which could be told from noise. With many connections, where both servers have always something to do, the target is met.',
  'where on an indexed field, time':
    'A tenth of all records match. Of 10,000 these are 1,000, which are found by the index and sorted. Of 1,000,000 they are too many for that: records are held against the condition in the order of the list until a page is full, some six hundred of them, and that takes as long in any larger repository.',
  'thing_query by MCP':
    'A call of a tool is a query of 20 records with two protocols around it, whose messages are checked and wrapped by the library that speaks them. The same query by tRPC takes two thirds of the time. The rate is that of one process, with the clients on the same two processors.',
  'round trips, page of references':
    'A page is filled stretch by stretch of the reference index. How many it takes depends on the page, which has at most 500, and not on how many references there are.',
};

/** The longest that fits. */
export function noteOf(name: string): string | undefined {
  const [found] = Object.keys(NOTES)
    .filter((beginning) => name.startsWith(beginning))
    .sort((a, b) => b.length - a.length);
  return found === undefined ? undefined : NOTES[found];
}
