// Logger of `npm run dev`. On a terminal it hides the demo's own requests, so that the printed instructions stand out.
// Elsewhere it logs everything.
import { type DestinationStream, type Logger, pino } from 'pino';

interface DevLog {
  readonly log: Logger;
  /** Stops hiding requests. The log level still applies. */
  tellAll(): void;
}

interface DevLogOptions {
  readonly level: string;
  readonly isTerminal: boolean;
  /** Defaults to stdout. */
  readonly destination?: DestinationStream;
}

const TROUBLE = 'warn';

export function createDevLog({ level, isTerminal, destination }: DevLogOptions): DevLog {
  const log = destination === undefined ? pino({ level, base: null }) : pino({ level, base: null }, destination);
  if (isTerminal && log.isLevelEnabled(TROUBLE)) log.level = TROUBLE;
  return {
    log,
    tellAll: () => {
      log.level = level;
    },
  };
}
