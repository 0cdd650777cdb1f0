// The SDK and code that uses it, bundled into one file as for browsers.
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { type OutputChunk, rolldown } from 'rolldown';
import { ROOT } from '../server.ts';

export interface Bundled {
  readonly code: string;
  readonly files: string[];
}

export const SDK_FILES = globSync('packages/sdk/src/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'));

export async function bundle(input: string, { minify = false } = {}): Promise<Bundled> {
  const isText = !input.endsWith('.ts');
  const id = isText ? join(ROOT, 'test/support/sdk/entry.ts') : input;
  const build = await rolldown({
    input: id,
    platform: 'browser',
    // Imported dynamically, only to write files.
    external: [/^node:/],
    plugins: [
      {
        name: 'entry',
        load: (path) => (isText && path === id ? input : null),
        resolveId: (path) => (path === id ? id : null),
      },
    ],
  });
  const { output } = await build.generate({ format: 'esm', minify });
  await build.close();
  const chunks = output.filter((part): part is OutputChunk => part.type === 'chunk');
  return {
    code: chunks.map(({ code }) => code).join(''),
    files: chunks.flatMap(({ modules }) =>
      Object.entries(modules).flatMap(([path, { renderedLength }]) =>
        renderedLength > 0 ? [path.slice(ROOT.length + 1)] : [],
      ),
    ),
  };
}
