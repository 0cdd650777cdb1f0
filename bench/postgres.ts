import { startPostgres } from '../test/support/postgres.ts';
import { CONTENTS, loadRequest, RECORDS, recordData, recordRequests, type Work } from './compare-requests.ts';
import type { Figure } from './figure.ts';
import { startCairn, startLoad } from './process.ts';
import { loadRepository } from './read-data.ts';
import { sized } from './size.ts';

const RUNS = sized({ full: 5, quick: 1 });
const READS_MS = sized({ full: 2_000, quick: 200 });
const COMMITS = sized({ full: 3_000, quick: 100 });
const CONNECTIONS = 32;

const ROWS: readonly { readonly name: string; readonly work: Work; readonly atLeast: number }[] = [
  { name: 'point read, REST', work: 'read', atLeast: 2_500 },
  { name: 'point read, tRPC', work: 'trpc', atLeast: 2_500 },
  { name: 'single durable commits', work: 'commit', atLeast: 1_200 },
];

export async function postgresFigures(): Promise<Figure[]> {
  const postgres = await startPostgres([]);
  const loaded = await loadRepository({ records: RECORDS, server: postgres.url, contents: CONTENTS });
  const cairn = await startCairn(loaded.settings);
  const load = startLoad();
  try {
    const requests = recordRequests(loaded.token);
    let next = RECORDS;
    const rateOf = async (work: Work) => {
      const count = work === 'commit' ? COMMITS : RECORDS;
      const numbers = Array.from({ length: count }, (_, n) => (work === 'commit' ? next + n : recordData(n).x));
      if (work === 'commit') next += count;
      const made = numbers.flatMap((n) => requests[work]?.(n) ?? []).map(loadRequest);
      const time = work === 'commit' ? {} : { ms: READS_MS };
      const { answers, seconds } = await load.measure({
        port: cairn.port,
        connections: CONNECTIONS,
        requests: made,
        ...time,
      });
      return answers / seconds;
    };
    const figures: Figure[] = [];
    for (const { name, work, atLeast } of ROWS) {
      // Warms up: Node compiles hot code at first.
      await rateOf(work);
      const values: number[] = [];
      for (let run = 0; run < RUNS; run++) values.push(await rateOf(work));
      figures.push({ name: `${name}, ${CONNECTIONS} connections, postgres`, unit: 'a second', values, atLeast });
    }
    return figures;
  } finally {
    await load.stop();
    await cairn.stop();
    loaded.remove();
    await postgres.stop();
  }
}
