import type { Person } from '@cairn/protocol/member';

/** A handle, or an email address, which holds an @. */
export type PersonName = Person | string;

export function personOf(name: PersonName): Person {
  if (typeof name !== 'string') return name;
  return name.includes('@') ? { email: name } : { handle: name };
}
