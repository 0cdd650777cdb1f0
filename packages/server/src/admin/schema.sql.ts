// The schema as a text, to be compared with the one that is committed for each engine.
import type { Dialect, Reader } from '../engine/database.ts';

export async function describeSchema(reader: Reader, dialect: Dialect): Promise<string> {
  const rows = await reader.query<{ ddl: string }>(dialect.describeSchema);
  return `${rows.map(({ ddl }) => ddl).join('\n')}\n`;
}
