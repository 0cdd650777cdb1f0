/** What the data of a shape says; nothing of it where it is hidden. */
export interface Definition {
  readonly fields: unknown;
  readonly description?: string;
}

export function definitionOf(data: unknown): Definition {
  if (typeof data !== 'object' || data === null) return { fields: undefined };
  const { fields, description } = data as { fields?: unknown; description?: unknown };
  return { fields, ...(typeof description === 'string' && { description }) };
}
