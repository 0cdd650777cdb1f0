// The log of `npm run dev`. At a terminal, what the demo itself asks of the server is not told, so that what is printed to be read
// stands alone; elsewhere all of it is.
import { type DestinationStream, type Logger, pino } from 'pino';

interface DevLog {
  readonly log: Logger;
  /** From now on everything is told that the level lets through. */
  tellAll(): void;
}

interface DevLogOptions {
  readonly level: string;
  readonly isTerminal: boolean;
  /** Where it is written, by default to stdout. */
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
