// Where the server finds what a row of the form of a shape says.
import type { FieldRow } from './shape-draft.ts';
import type { Limit } from './shape-limit.ts';

/** What of a row has a control of its own, called as in the definition. */
export type RowPart = Limit | 'enum' | 'shape';
const PARTS: readonly RowPart[] = ['minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'enum', 'shape'];

function pathOf({ name, isOptional }: FieldRow): string {
  return `/fields/${name.replaceAll('~', '~0').replaceAll('/', '~1')}${isOptional ? '?' : ''}`;
}

/** The items of a list are written in one of two ways. */
function partPaths(row: FieldRow, part: RowPart): readonly string[] {
  return (row.isList ? ['/0', '/items'] : ['']).map((within) => `${pathOf(row)}${within}/${part}`);
}

export const pathsOf = (row: FieldRow): readonly string[] => [
  pathOf(row),
  ...PARTS.flatMap((part) => partPaths(row, part)),
];

/** What was said against a part of a row; without a part, against the rest of it. */
export function saidAgainst(said: ReadonlyMap<string, string>, row: FieldRow, part?: RowPart): string | undefined {
  const paths = part === undefined ? [pathOf(row)] : partPaths(row, part);
  return paths.map((path) => said.get(path)).find((one) => one !== undefined);
}
