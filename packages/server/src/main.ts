// The process: flags, start and stop. Only this file ends it.
import { VERSION } from '@cairn/protocol/version';
import { type Config, databaseFile, EXIT_FAILED, helpText, readConfig, startExitCode, startProblem } from './config.ts';
import { limitHeap } from './engine/heap.ts';
import { createLog } from './log.ts';
import type { RunningServer } from './server.ts';

// npm and run.mjs forward Ctrl-C, so a single key press can arrive twice.
const SAME_SIGNAL_MS = 500;

export async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(helpText());
    return;
  }
  try {
    const config = readConfig(args);
    process.stderr.write(`Cairn ${VERSION} is starting (${describeDatabase(config)}) …\n`);
    const { startServer } = await import('./server.ts');
    const server = await startServer(config, createLog(config.logLevel));
    // Runs before the greeting, because its reader may send a signal at once.
    stopOnSignal(server);
    greet(server, config);
    limitHeap();
  } catch (error) {
    process.stderr.write(`${startProblem(error)}\n`);
    process.exit(startExitCode(error));
  }
}

/** Leaves out the address of the database, which may contain a password. */
const describeDatabase = (config: Config): string =>
  config.databaseUrl === undefined ? `sqlite, ${databaseFile(config)}` : 'postgres';

/** Written to the terminal and not to the log, because a log must not keep the set-up link. */
function greet({ url, setupUrl }: RunningServer, config: Config): void {
  process.stderr.write(`Cairn ${VERSION} is at ${url} (${describeDatabase(config)})\n`);
  if (setupUrl === undefined) return;
  process.stderr.write(`The server has no owner yet. To create one, open this link; it works once:\n  ${setupUrl}\n`);
}

function stopOnSignal(server: RunningServer): void {
  let firstAt: number | undefined;
  const stop = async (signal: NodeJS.Signals) => {
    if (firstAt !== undefined) {
      if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(EXIT_FAILED);
      return;
    }
    firstAt = performance.now();
    // Only for Ctrl-C: after a hang-up there is no terminal to write to.
    if (signal === 'SIGINT')
      process.stderr.write(
        'Cairn is stopping and finishes running requests first. Press Ctrl-C again to stop at once.\n',
      );
    await server.stop();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
}

if (process.argv[1] === import.meta.filename) await main(process.argv.slice(2));
