// When tokens were last used, to the minute. Noted in memory and written in batches: no request waits for it.
import type { Logger } from 'pino';
import type { Usage } from '../../store/usage.ts';

const EVERY_MS = 60_000;
const WRITE_AFTER_MS = 2_000;
const KNOWN_MAX = 100_000;

export interface TokenUses {
  note(tokenId: number): void;
  /** Writes what was noted. */
  close(): Promise<void>;
}

interface TokenUsesOptions {
  readonly usage: Usage;
  readonly log: Logger;
  readonly now?: () => number;
}

export function createTokenUses({ usage, log, now = Date.now }: TokenUsesOptions): TokenUses {
  const notedAt = new Map<number, number>();
  let waiting = new Map<number, number>();
  let timer: NodeJS.Timeout | undefined;
  const write = async () => {
    timer = undefined;
    const uses = [...waiting].map(([tokenId, usedAt]) => ({ tokenId, usedAt }));
    waiting = new Map();
    // Losing it does no harm: the next use is noted again.
    await usage.recordUses(uses).catch((err: unknown) => log.warn({ err }, 'The use of tokens could not be recorded.'));
  };
  return {
    note: (tokenId) => {
      const at = now();
      if (at - (notedAt.get(tokenId) ?? 0) < EVERY_MS) return;
      if (notedAt.size >= KNOWN_MAX) notedAt.clear();
      notedAt.set(tokenId, at);
      waiting.set(tokenId, at);
      timer ??= setTimeout(write, WRITE_AFTER_MS).unref();
    },
    close: async () => {
      clearTimeout(timer);
      if (waiting.size > 0) await write();
    },
  };
}
