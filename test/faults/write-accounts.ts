// Writes accounts until it is killed, several at a time, and prints each handle once its write is acknowledged.
import type { StoreLocation } from '../../packages/server/src/engine/database.ts';
import { openStore } from '../../packages/server/src/store.ts';

const WRITERS = 8;

const [location = '', round = ''] = process.argv.slice(2);
const store = await openStore(JSON.parse(location) as StoreLocation);
let last = 0;

async function writeForEver(): Promise<never> {
  for (;;) {
    const handle = `${round}-${++last}`;
    await store.write.createAccount({ email: `${handle}@example.com`, handle, passwordHash: '-', operator: false });
    process.stdout.write(`${handle}\n`);
  }
}

await Promise.all(Array.from({ length: WRITERS }, writeForEver));
