// Data that records hold in fields which their shape does not declare. It is kept until somebody takes it out.
import { type FormField, undeclaredIn } from '../change/form-field.ts';

/** How many records hold some, by field. */
export type Undeclared = Readonly<Record<string, number>>;

export function withUndeclared(
  before: Undeclared,
  records: readonly { readonly data?: unknown }[],
  form: readonly FormField[],
): Undeclared {
  const counts = new Map(Object.entries(before));
  for (const name of records.flatMap(({ data }) => undeclaredIn(data, form))) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return Object.fromEntries(counts);
}
