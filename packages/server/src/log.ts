// The log on standard output. It never ends or blocks the server: lines that a full disk refuses wait in memory.
import { type Logger, type LoggerOptions, pino } from 'pino';

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
