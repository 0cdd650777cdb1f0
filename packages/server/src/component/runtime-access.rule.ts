// What an install approved of a manifest's `runtimeAccess`, as entries that a token is narrowed by.
import type { NarrowingEntry } from '../access/narrowing.rule.ts';

export interface TokenAccess {
  readonly reads: readonly NarrowingEntry[];
  readonly writes: readonly NarrowingEntry[];
}

/** A component always writes how it is set up. */
export function tokenAccess(
  { reads, writes }: { readonly reads: readonly string[]; readonly writes: readonly string[] },
  componentName: string,
): TokenAccess {
  return { reads: accessEntries(reads), writes: accessEntries([...writes, `ComponentConfig/${componentName}`]) };
}

/** A name alone is a shape, and means its records and the shape itself; anything else is a glob over full names. */
function accessEntries(texts: readonly string[]): NarrowingEntry[] {
  if (texts.length === 0) return [];
  return [{ refs: texts.map((text) => (/[/*]/.test(text) ? text : `${text}/**`)) }];
}
