// Reads the rows of a CSV file with a header line. Quoted fields may contain commas, and quotes that are doubled.
import { readFileSync } from 'node:fs';

export type Row = Readonly<Record<string, string>>;

export function* readRows(file: string): Generator<Row> {
  const [head = '', ...lines] = readFileSync(file, 'utf8').trimEnd().split('\n');
  const names = fieldsOf(head);
  for (const line of lines) {
    const fields = fieldsOf(line);
    yield Object.fromEntries(names.map((name, column) => [name, fields[column] ?? '']));
  }
}

function fieldsOf(line: string): string[] {
  return [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(
    ([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain,
  );
}
