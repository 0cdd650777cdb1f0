// The log on standard output. It never ends or blocks the server: lines that a full disk refuses wait in memory.
import { type Logger, type LoggerOptions, pino } from 'pino';

const STANDARD_OUTPUT = 1;
const WAITING_BYTES_MAX = 4 * 1024 * 1024;

export function createLog(options: Pick<LoggerOptions, 'level' | 'base'>): Logger {
  const destination = pino.destination({ dest: STANDARD_OUTPUT, sync: false, maxLength: WAITING_BYTES_MAX });
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
