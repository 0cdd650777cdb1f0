// A repository, a shape, a record, with the SDK. The argument is your organization.
import assert from 'node:assert/strict';
import { CairnClient } from '@cairn/sdk';

const { CAIRN_URL: url = 'http://localhost:8787', CAIRN_TOKEN: token } = process.env;
const [org = 'acme', repo] = [process.argv[2], 'quickstart-sdk'];
const client = new CairnClient({ url, token });

await client.repo.create(org, repo);
await client.shape.create(org, repo, 'Location', { fields: { x: 'number' } });
const operations = [{ name: 'Location/cave', data: { x: 3 } }];
const { repoSeq } = await client.commit.submit(org, repo, { message: 'The first cave', operations });
const cave = await client.thing.get(org, repo, 'Location/cave', { atRepoSeq: repoSeq });
assert.deepEqual(cave.data, { x: 3 });
console.log(`Sequence ${repoSeq}: ${cave.pinnedWref} is`, cave.data);
