// The generations of the key that signs sessions. Keys are derived from the server's secret and the number: the database
// holds none.
import { fail } from '@cairn/protocol/errors';
import type { Reader, Transaction } from '../engine/database.ts';
import { findServerFact, type ServerFact } from './server-fact.sql.ts';

const FACT: ServerFact = 'signing-generations';

export interface SigningGeneration {
  readonly generation: number;
  /** When it began to sign, and the one before it stopped. */
  readonly since: number;
}

/** Oldest first; the last one signs. None before a server has first run. */
export async function listSigningGenerations(reader: Reader): Promise<SigningGeneration[]> {
  const kept = await findServerFact(reader, FACT);
  return kept === undefined ? [] : (JSON.parse(kept) as SigningGeneration[]);
}

export interface SigningRotation {
  /** All that were there. */
  readonly from: readonly SigningGeneration[];
  readonly to: readonly SigningGeneration[];
}

/** Of nodes that rotate at once one does, and the others are told so. */
export async function rotateSigningKey(tx: Transaction, { from, to }: SigningRotation): Promise<void> {
  const [before, after] = [JSON.stringify(from), JSON.stringify(to)];
  const changed =
    from.length === 0
      ? await tx.query(
          'insert into server_fact (name, value) values ($1, $2) on conflict (name) do nothing returning name',
          [FACT, after],
        )
      : await tx.query('update server_fact set value = $3 where name = $1 and value = $2 returning name', [
          FACT,
          before,
          after,
        ]);
  if (changed.length === 1) return;
  throw fail('CONFLICT', {
    message: 'The signing key was rotated by somebody else meanwhile: it is new already.',
    details: { reason: 'rotated_meanwhile' },
  });
}
