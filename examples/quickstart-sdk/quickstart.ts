// Creates a repository, a shape and a record with the SDK. The argument is your organization.
import assert from 'node:assert/strict';
import { CairnClient, defineShape } from '@cairn/sdk';

// Print failures as a sentence, without a stack trace.
process.on('uncaughtException', ({ message }) => {
  console.error(message);
  process.exit(1);
});
const { CAIRN_URL: url = 'http://localhost:8787', CAIRN_TOKEN: token } = process.env;
const [org = 'acme', name] = [process.argv[2], 'quickstart-sdk'];
const client = new CairnClient({ url, token });
const repo = client.repo(`${org}/${name}`);
const Location = defineShape('Location', { x: 'number' });

await repo.get().catch(() => client.repo.create(org, name));
await repo.shapes.ensure(Location);
await repo.commit('The first cave').add(Location.wref('cave'), { x: 3 }, { skipExisting: true }).submit();
const cave = await repo.things.get(Location.wref('cave'));
assert.deepEqual(cave.data, { x: 3 });
console.log(`${cave.pinnedWref} is`, cave.data);
