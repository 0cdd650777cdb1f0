// Mails that wait to be sent, in memory: who is not reached asks again, and an inviter has the link anyway. What cannot
// be sent is told to the log, for the operator.
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { MailOrder, MailQueue } from './mail.ts';
import type { SendMail } from './smtp.ts';

const WAITING_MAX = 1_000;
const AT_ONCE = 4;
const DRAIN_MS = 5_000;

interface QueueOptions {
  readonly send: SendMail;
  /** Whether one more may go to this address now: nobody is to be buried in mail that others order. */
  readonly allow: (to: string) => Promise<boolean>;
  readonly log: Logger;
  /** How long a server that stops waits for what is left. */
  readonly drainMs?: number;
}

export function createMailQueue({ send, allow, log, drainMs = DRAIN_MS }: QueueOptions): MailQueue {
  const waiting: MailOrder[] = [];
  const sending = new Set<Promise<void>>();
  let closed = false;

  const carry = async ({ about, to, write }: MailOrder) => {
    try {
      if (!(await allow(to))) {
        log.warn({ mail: about }, 'A mail was not sent: its recipient had too many within the hour.');
        return;
      }
      const mail = await write();
      if (mail !== undefined) await send({ ...mail, to });
    } catch (error) {
      log.error({ mail: about, ...failureOf(error) }, 'A mail was not sent. Check CAIRN_SMTP_URL and CAIRN_MAIL_FROM.');
    }
  };
  const begin = () => {
    while (sending.size < AT_ONCE) {
      const order = waiting.shift();
      if (order === undefined) return;
      const carried = carry(order).finally(() => {
        sending.delete(carried);
        begin();
      });
      sending.add(carried);
    }
  };
  const drain = async () => {
    while (sending.size > 0) await Promise.all(sending);
  };

  return {
    add: (order) => {
      if (closed || waiting.length >= WAITING_MAX) {
        log.warn({ mail: order.about }, 'A mail was not sent: too many wait, or the server stops.');
        return;
      }
      waiting.push(order);
      begin();
    },
    close: async () => {
      closed = true;
      const late = new AbortController();
      await Promise.race([drain(), delay(drainMs, undefined, { signal: late.signal }).catch(() => {})]);
      late.abort();
      const left = waiting.splice(0).length + sending.size;
      if (left > 0) log.warn({ left }, 'Mails were not sent: the server stopped before.');
    },
  };
}

/** An SMTP server may repeat in its answer what it was sent, link and password included: only its number is kept. */
function failureOf(error: unknown): { code?: string; status?: number; reason?: string } {
  if (!(error instanceof Error)) return { reason: 'unknown' };
  const { code, responseCode, response } = error as Error & Partial<Record<string, unknown>>;
  return {
    ...(typeof code === 'string' && { code }),
    ...(typeof responseCode === 'number' && { status: responseCode }),
    ...(response === undefined && { reason: error.message }),
  };
}
