// How the explorer becomes static files. Nothing is inlined: its pages may run and show only what the server serves. Beside
// each file that is worth it stands one that is compressed already.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const COMPRESSED = new Set(['.css', '.js', '.svg']);

const compress: Plugin = {
  name: 'compress',
  apply: 'build',
  writeBundle({ dir = '' }) {
    const folder = join(dir, 'assets');
    for (const name of readdirSync(folder)) {
      if (!COMPRESSED.has(extname(name))) continue;
      writeFileSync(join(folder, `${name}.br`), brotliCompressSync(readFileSync(join(folder, name))));
    }
  },
};

export default defineConfig({
  root: import.meta.dirname,
  publicDir: 'public',
  plugins: [compress],
  worker: { format: 'es' },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    // It is small, and what did not come once, without a network, would not be asked for again.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      onLog: (level, log, tell) => {
        // Marks for servers that render, of which there is none here; and files, which the SDK needs on machines alone.
        if (log.code === 'MODULE_LEVEL_DIRECTIVE' || /externalized for browser/.test(log.message)) return;
        tell(level, log);
      },
    },
  },
});
