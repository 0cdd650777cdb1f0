// `npm start`: runs the server bundle, or the sources if there is no bundle.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const SERVER = join(import.meta.dirname, '../packages/server');
const bundle = join(SERVER, 'dist/main.js');
const file = existsSync(join(SERVER, 'dist/sources')) ? bundle : join(SERVER, 'src/main.ts');
const { main } = (await import(pathToFileURL(file).href)) as typeof import('../packages/server/src/main.ts');
await main(process.argv.slice(2));
