// Names that begin with some text, in a form that their index answers: all compare by their bytes, on both engines.
import type { Parameters } from '../access/role.sql.ts';

/** Comes after every character that the names of organizations and repositories have. */
const AFTER_ALL = '~';

export function beginsWith(column: string, beginning: string, parameters: Parameters): string {
  return `${column} >= ${parameters.add(beginning)} and ${column} < ${parameters.add(beginning + AFTER_ALL)}`;
}
