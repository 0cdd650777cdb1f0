// Everything that can be written, by name. A request to the writer thread is one of these names and its input: plain
// data, because closures cannot cross threads.
import { createAccount, setUpOwner } from './account.ts';
import type { Transaction } from './database.ts';
import { createRepository } from './repository.ts';
import { claimServerFact, setServerFact } from './server-fact.ts';
import { createToken } from './token.ts';

export const WRITES = {
  claimServerFact,
  createAccount,
  createRepository,
  createToken,
  setServerFact,
  setUpOwner,
};

type Writes = typeof WRITES;
export type WriteName = keyof Writes;
export type WriteInput<Name extends WriteName> = Parameters<Writes[Name]>[1];
export type WriteResult<Name extends WriteName> = Awaited<ReturnType<Writes[Name]>>;

export interface WriteRequest<Name extends WriteName = WriteName> {
  readonly name: Name;
  readonly input: WriteInput<Name>;
}

/** What the writer thread answers to. */
export type WriterRequest = WriteRequest | 'schemaVersion' | 'counts';

export async function applyWrite({ name, input }: WriteRequest, tx: Transaction): Promise<unknown> {
  const write = WRITES[name] as (tx: Transaction, input: unknown) => Promise<unknown>;
  return await write(tx, input);
}
