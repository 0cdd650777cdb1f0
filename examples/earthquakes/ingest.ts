// Streams a real data set into a repository of your organization, and then queries it. You can run it again, after an
// interruption or a year later: existing records are not written twice.
import { join } from 'node:path';
import { CairnClient, CairnError } from '@cairn/sdk';
import { readRows } from './csv.ts';
import { operationsOf, SHAPES } from './model.ts';
import { askAll } from './questions.ts';

const { CAIRN_URL: url = 'http://localhost:8787', CAIRN_TOKEN: token } = process.env;
const [org = 'acme', repo] = [process.argv[2], 'earthquakes'];
const client = new CairnClient({ url, token });

async function prepare(): Promise<void> {
  try {
    await client.repo.create(org, repo, { description: 'Earthquakes of one week, as the USGS listed them' });
  } catch (error) {
    if (!(error instanceof CairnError && error.code === 'ALREADY_EXISTS')) throw error;
  }
  await client.repo.configure(org, repo, { features: { streamSubmissions: true } });
  await client.commit.submit(org, repo, {
    message: 'What is known of an earthquake',
    operations: Object.entries(SHAPES).map(([name, fields]) => ({ kind: 'shape', name, data: { fields } })),
    skipExisting: true,
  });
}

await prepare();
const rows = readRows(join(import.meta.dirname, 'earthquakes.csv'));
const { offset, applied, error } = await client.repo.stream(org, repo, operationsOf(rows), {
  streamId: 'usgs-all-week-2018-02-07',
  message: 'USGS, all earthquakes of the week to 7 February 2018',
  onRefused: ({ line, message }) => console.error(`Line ${line}: ${message}`),
});
console.log(`${offset} lines, ${applied} applied, ${error} refused`);
if (error > 0) process.exit(1);
await askAll({ client, org, repo });
