// A prefix condition as a range, which an index on the name answers: names compare by bytes on both engines.
import type { Parameters } from '../access/role.sql.ts';

/** Sorts after every character that names of organizations and repositories can contain. */
const AFTER_ALL = '~';

export function beginsWith(column: string, beginning: string, parameters: Parameters): string {
  return `${column} >= ${parameters.add(beginning)} and ${column} < ${parameters.add(beginning + AFTER_ALL)}`;
}
