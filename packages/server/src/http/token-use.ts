// Records the last use of tokens and sessions, to the minute. Writes are batched, so no request waits for them.
import type { Logger } from 'pino';
import type { Usage } from '../access/usage.sql.ts';

const EVERY_MS = 60_000;
const WRITE_AFTER_MS = 2_000;
const KNOWN_MAX = 100_000;

export interface TokenUses {
  note(tokenId: number): void;
  noteSession(sessionId: string): void;
  close(): Promise<void>;
}

interface TokenUsesOptions {
  readonly usage: Usage;
  readonly log: Logger;
  readonly now?: () => number;
}

export function createTokenUses({ usage, log, now = Date.now }: TokenUsesOptions): TokenUses {
  const onFailure = (err: unknown) => log.warn({ err }, 'The last use of tokens and sessions could not be recorded.');
  const tokens = createUses<number>({
    record: (uses) => usage.recordUses(uses.map(([tokenId, usedAt]) => ({ tokenId, usedAt }))),
    ...{ onFailure, now },
  });
  const sessions = createUses<string>({
    record: (uses) => usage.recordSessionUses(uses.map(([sessionId, usedAt]) => ({ sessionId, usedAt }))),
    ...{ onFailure, now },
  });
  return {
    note: tokens.note,
    noteSession: sessions.note,
    close: async () => {
      await tokens.close();
      await sessions.close();
    },
  };
}

interface UsesOptions<Id> {
  readonly record: (uses: readonly (readonly [Id, number])[]) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
  readonly now: () => number;
}

function createUses<Id>({ record, onFailure, now }: UsesOptions<Id>) {
  const notedAt = new Map<Id, number>();
  let waiting = new Map<Id, number>();
  let timer: NodeJS.Timeout | undefined;
  const write = async () => {
    timer = undefined;
    const uses = [...waiting];
    waiting = new Map();
    await record(uses).catch(onFailure);
  };
  return {
    note: (id: Id) => {
      const at = now();
      if (at - (notedAt.get(id) ?? 0) < EVERY_MS) return;
      if (notedAt.size >= KNOWN_MAX) notedAt.clear();
      notedAt.set(id, at);
      waiting.set(id, at);
      timer ??= setTimeout(write, WRITE_AFTER_MS).unref();
    },
    close: async () => {
      clearTimeout(timer);
      if (waiting.size > 0) await write();
    },
  };
}
