// Starts a program on a Node that is new enough. Plain JavaScript that Node 18 understands.
// When this Node is too old, the same command is run again by the Node 24 that `npm install` brought along.
// Run as `node run.mjs SCRIPT [ARGS]`, or imported by a bin that calls `run(script)`.
import { existsSync, realpathSync } from 'node:fs';
import module from 'node:module';
import { constants } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const OLDEST = [24, 7];

/** Runs `script` with the arguments that follow it. */
export async function run(script, args) {
  if (isNewEnough(process.versions.node)) {
    // Threads and other processes that it starts do the same: to read types away again takes them time and memory.
    module.enableCompileCache();
    process.env.NODE_COMPILE_CACHE ??= dirname(module.getCompileCacheDir());
    process.argv = [process.argv[0], script, ...args];
    endWithParent();
    await import(pathToFileURL(script).href);
    return;
  }
  const node = bundledNode();
  if (node === undefined) {
    process.stderr.write(
      `Cairn needs Node ${OLDEST.join('.')} or newer, and this is ${process.versions.node}. Run \`npm install\` (on Linux it brings its own), or install a newer Node.\n`,
    );
    process.exit(1);
  }
  await spawnInstead(node);
}

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

function bundledNode() {
  try {
    const manifest = module
      .createRequire(import.meta.url)
      .resolve(`node-${process.platform}-${process.arch}/package.json`);
    return join(dirname(manifest), 'bin', 'node');
  } catch {
    return undefined;
  }
}

// The child gets our standard streams and every signal that we get; its end is our end, and ours is its end: the fourth
// channel carries nothing, but it breaks when we are killed and can forward no signal.
async function spawnInstead(node) {
  // Loaded here, since most have a Node that is new enough and wait for every module.
  const { spawn } = await import('node:child_process');
  const child = spawn(node, process.argv.slice(1), { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGUSR2']) process.on(signal, () => child.kill(signal));
  await new Promise((done) => {
    child.on('error', (error) => {
      process.stderr.write(`Cannot start ${node}: ${error.message}. Run \`npm install\` again.\n`);
      process.exit(1);
    });
    child.on('exit', (code, signal) => {
      process.exitCode = code ?? 128 + constants.signals[signal];
      done();
    });
  });
}

function endWithParent() {
  if (!process.channel) return;
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

// Real paths: the checkout may be reached through a symbolic link.
if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const [script, ...args] = process.argv.slice(2);
  if (script === undefined) {
    process.stderr.write('Usage: node run.mjs SCRIPT [ARGS]\n');
    process.exit(2);
  }
  if (!existsSync(script)) {
    process.stderr.write(`There is no file ${script} in ${process.cwd()}.\n`);
    process.exit(2);
  }
  await run(realpathSync(resolve(script)), args);
}
