// `npm install` builds what `npm start` runs: the server bundle and the explorer. `npm start` repeats it if sources of
// the server have changed.
//   --start    builds the explorer only if there is none
import { buildServer } from './build-server.ts';
import { buildWeb } from './build-web.ts';

const isWithoutTools = (error: unknown) => (error as { code?: string }).code === 'ERR_MODULE_NOT_FOUND';

try {
  await buildServer();
  await buildWeb({ ifMissing: process.argv.includes('--start') });
} catch (error) {
  if (!isWithoutTools(error)) throw error;
  // Production installs lack the development dependencies. They use a copied build.
  console.error(
    'Nothing was built, because the development dependencies are missing. Run npm install without --omit=dev.',
  );
}
