// The schema as text, which a test compares with the committed one for each engine.
import type { Dialect, Reader } from '../engine/database.ts';

export async function describeSchema(reader: Reader, dialect: Dialect): Promise<string> {
  const rows = await reader.query<{ ddl: string }>(dialect.describeSchema);
  return `${rows.map(({ ddl }) => ddl).join('\n')}\n`;
}
