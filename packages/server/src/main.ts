// The process: flags, start, stop. The only place that ends it.
import { VERSION } from '@cairn/protocol/version';
import { pino } from 'pino';
import { type Config, ConfigError, databaseFile, helpText, readConfig } from './config.ts';
import { type RunningServer, startServer } from './server.ts';

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;
// A Ctrl-C reaches us from the terminal, and again from npm and run.mjs, which forward it: that is one wish, not two.
const SAME_SIGNAL_MS = 500;

export async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(helpText());
    return;
  }
  try {
    const config = readConfig(args);
    const server = await startServer(config, pino({ level: config.logLevel, base: null }));
    // Before the greeting: whoever reads it may send a signal at once.
    stopOnSignal(server);
    greet(server, config);
  } catch (error) {
    process.stderr.write(`${startProblem(error)}\n`);
    process.exit(error instanceof ConfigError ? EXIT_USAGE : EXIT_FAILED);
  }
}

/** For the person at the terminal, apart from the log: the set-up link must not be kept in one. */
function greet({ url, setupUrl, store }: RunningServer, config: Config): void {
  const { engine } = store.database;
  const place = engine === 'sqlite' ? `sqlite, ${databaseFile(config)}` : engine;
  process.stderr.write(`Cairn ${VERSION} is at ${url} (${place})\n`);
  if (setupUrl === undefined) return;
  process.stderr.write(`It has no owner yet. To create one, open this link; it works once:\n  ${setupUrl}\n`);
}

function stopOnSignal(server: RunningServer): void {
  let firstAt: number | undefined;
  const stop = async () => {
    if (firstAt !== undefined) {
      if (performance.now() - firstAt > SAME_SIGNAL_MS) process.exit(EXIT_FAILED);
      return;
    }
    firstAt = performance.now();
    await server.stop();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
}

/** One line for the operator. A stack says nothing to someone who mistyped a port. */
function startProblem(error: unknown): string {
  if (!(error instanceof Error)) return `Cairn cannot start: ${String(error)}`;
  if (error instanceof ConfigError) return `Cairn cannot start: ${error.message}`;
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'EADDRINUSE') {
    const port = 'port' in error ? ` ${error.port}` : '';
    return `Cairn cannot start: the port${port} is in use. Choose another with PORT, or CAIRN_METRICS_PORT for metrics.`;
  }
  if (code === 'EACCES') return `Cairn cannot start: no permission (${error.message}).`;
  const reason = error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
  return `Cairn cannot start: ${reason}`;
}

if (process.argv[1] === import.meta.filename) await main(process.argv.slice(2));
