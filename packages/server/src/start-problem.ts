// What an operator is told when a server cannot start, and how its process ends.
import { ConfigError } from './config.ts';

export const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

/** One line. A stack says nothing to someone who mistyped a port. */
export function startProblem(error: unknown): string {
  if (!(error instanceof Error)) return `Cairn cannot start: ${String(error)}`;
  if (error instanceof ConfigError) return `Cairn cannot start: ${error.message}`;
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'EADDRINUSE') {
    const port = 'port' in error ? ` ${error.port}` : '';
    return `Cairn cannot start: the port${port} is in use. Choose another with --port or PORT; for metrics, with --metrics-port or CAIRN_METRICS_PORT.`;
  }
  if (code === 'EACCES') return `Cairn cannot start: no permission (${error.message}).`;
  const reason = error.cause instanceof Error ? `${error.message} (${error.cause.message})` : error.message;
  return `Cairn cannot start: ${reason}`;
}

export function startExitCode(error: unknown): number {
  return error instanceof ConfigError ? EXIT_USAGE : EXIT_FAILED;
}
