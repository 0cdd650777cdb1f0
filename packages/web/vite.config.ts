// Builds the explorer as static files. Nothing is inlined, because the content security policy allows only resources of
// the server. Large files also get a compressed copy.
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
    // One small file, because browsers do not retry a style sheet that failed to load offline.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      checks: { bundlerTimings: false },
      onLog: (level, log, tell) => {
        // Hides warnings about server-rendering directives, which are unused, and about Node modules, which the SDK
        // needs outside of browsers only.
        if (log.code === 'MODULE_LEVEL_DIRECTIVE' || /externalized for browser/.test(log.message)) return;
        tell(level, log);
      },
    },
  },
});
