// The log on standard output. It never ends or blocks the server: lines that a full disk refuses wait in memory.
// A terminal shows one short line for each request. Any other output gets JSON.
import { type DestinationStream, type Logger, levels, pino } from 'pino';

const STANDARD_OUTPUT = 1;
const WAITING_BYTES_MAX = 4 * 1024 * 1024;
/** Lines are written together: a write for each would cost as much as a request. */
const TOGETHER_BYTES = 4_096;
const TOGETHER_MS = 100;

export function createLog(level: string): Logger {
  const options = { level, base: null };
  if (process.stdout.isTTY)
    return pino(
      options,
      terminalLog((text) => process.stdout.write(text)),
    );
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

export function terminalLog(write: (text: string) => void): DestinationStream {
  return {
    write: (line) => {
      const text = formatEntry(JSON.parse(line));
      if (text !== undefined) write(`${text}\n`);
    },
  };
}

interface Entry {
  readonly time: number;
  readonly level: number;
  readonly msg?: string;
  readonly err?: { readonly stack?: string; readonly message?: string };
  readonly [field: string]: unknown;
}

interface RequestEntry extends Entry {
  readonly method: string;
  readonly path: string;
  readonly query?: readonly string[];
  readonly status: number;
  readonly ms: number;
  readonly who: string;
  readonly requestId: string;
}

function formatEntry(entry: Entry): string | undefined {
  const at = new Date(entry.time).toTimeString().slice(0, 8);
  if (entry.msg === 'request') return formatRequest(at, entry as RequestEntry);
  const { time, level, msg = '', err, ...fields } = entry;
  const more = Object.keys(fields).length === 0 ? '' : ` ${JSON.stringify(fields)}`;
  const lines = `${levels.labels[level]?.toUpperCase()} ${msg}${more}${err === undefined ? '' : `\n${err.stack ?? err.message}`}`;
  return `${at} ${lines.split('\n').map(escapeControls).join('\n  ')}`;
}

const FAILED_FROM = 400;
const BROKEN_FROM = 500;

function formatRequest(at: string, entry: RequestEntry): string | undefined {
  const { method, path, query, status, ms, who, requestId } = entry;
  if (path.startsWith('/assets/') && status < FAILED_FROM) return undefined;
  const asked = query === undefined ? '' : `?${query.join('&')}`;
  const id = status < BROKEN_FROM ? '' : ` ${requestId}`;
  return `${at} ${status} ${method} ${escapeControls(`${path}${asked}`)} ${Math.round(ms)} ms ${escapeControls(who)}${id}`;
}

/** A path may contain anything. Control characters could rewrite what the terminal shows. */
const escapeControls = (text: string): string =>
  text.replaceAll(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
