// The log on standard output. It never ends or blocks the server: lines that a full disk refuses wait in memory.
import { type DestinationStream, type Logger, type LoggerOptions, pino, symbols } from 'pino';

const STANDARD_OUTPUT = 1;
const WAITING_BYTES_MAX = 4 * 1024 * 1024;
/** Lines are written together: a write for each would cost as much as a request. */
const TOGETHER_BYTES = 4_096;
const TOGETHER_MS = 100;

export function createLog(options: Pick<LoggerOptions, 'level' | 'base'>): Logger {
  const destination = pino.destination({
    dest: STANDARD_OUTPUT,
    sync: false,
    minLength: TOGETHER_BYTES,
    maxLength: WAITING_BYTES_MAX,
    periodicFlush: TOGETHER_MS,
  });
  // Without a listener, a line that cannot be written would end the process.
  destination.on('error', () => {});
  const flush = destination.flushSync.bind(destination);
  // Called at the end of the process, which nothing may prevent.
  destination.flushSync = () => {
    try {
      flush();
    } catch {
      // The lines are lost.
    }
  };
  return pino(options, destination);
}

export interface RequestLine {
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly query: readonly string[] | undefined;
  readonly status: number;
  readonly ms: number;
  readonly who: string;
}

const INFO = 30;

/** In the form of all other lines, but assembled here: the general way costs three times as much. */
export function logRequest(log: Logger, { requestId, method, path, query, status, ms, who }: RequestLine): void {
  const queried = query === undefined ? '' : `"query":${JSON.stringify(query)},`;
  const { [symbols.streamSym]: stream } = log as unknown as Record<symbol, DestinationStream>;
  stream?.write(
    `{"level":${INFO},"time":${Date.now()},"requestId":"${requestId}","method":"${method}","path":${JSON.stringify(path)},${queried}"status":${status},"ms":${ms},"who":${JSON.stringify(who)},"msg":"request"}\n`,
  );
}
