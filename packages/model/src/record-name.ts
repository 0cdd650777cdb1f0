// Names of records: a shape's bare name, or `Shape/name` for everything else.
import { fail } from '@cairn/protocol/errors';
import { findMisleadingCharacter, isRecordNamePart, RECORD_NAME_BYTES_MAX, SHAPE_NAME } from '@cairn/protocol/names';

export interface RecordName {
  readonly shapeName: string;
  /** The part after the shape; '' for the shape itself. */
  readonly local: string;
}

/** The name of a record that is made or renamed, in NFC; `path` is the place that a refusal names. */
export function parseNewRecordName(text: unknown, path = '/name'): RecordName {
  const composed = typeof text === 'string' ? text.normalize('NFC') : text;
  const name = parseRecordName(composed, path);
  const problem = name.local === '' ? undefined : findNewNameProblem(String(composed), name);
  if (problem === undefined) return name;
  const message = `${shown(String(text))} ${problem}`;
  throw fail('VALIDATION_ERROR', { message, details: [{ path, message }] });
}

function findNewNameProblem(text: string, { local }: RecordName): string | undefined {
  if (text.length <= RECORD_NAME_BYTES_MAX && PLAIN_NAME.test(local)) return undefined;
  if (Buffer.byteLength(text) > RECORD_NAME_BYTES_MAX) return `is longer than ${RECORD_NAME_BYTES_MAX} bytes.`;
  const character = findMisleadingCharacter(text);
  if (character === undefined) return undefined;
  return `is not a record's name: it holds ${character}, an invisible or unassigned character. Remove that character.`;
}

/** A name as it was given, then in NFC: new names are stored in NFC, and older ones as they were given. */
export function listSpellings(local: string): readonly string[] {
  const composed = local.normalize('NFC');
  return composed === local ? [local] : [local, composed];
}

/** The name of a record that may be there: longer than a new one can be, if its shape was renamed. */
export function parseRecordName(text: unknown, path = '/name'): RecordName {
  const invalid = (message: string) => fail('VALIDATION_ERROR', { message, details: [{ path, message }] });
  if (typeof text !== 'string' || text === '') throw invalid('Give the name of a record, such as Location/cave.');
  const slash = text.indexOf('/');
  const shapeName = slash === -1 ? text : text.slice(0, slash);
  const local = slash === -1 ? '' : text.slice(slash + 1);
  if (!SHAPE_NAME.test(shapeName)) {
    throw invalid(
      /^[0-9]/.test(text)
        ? `${shown(text)} is neither a durable ID (one may be mistyped) nor a name such as Location/cave.`
        : `${shown(shapeName)} is not a shape's name: a letter, then up to 127 letters, digits, _, - and dots.`,
    );
  }
  const problem = slash === -1 ? undefined : problemOf(text, local);
  if (problem !== undefined) throw invalid(problem);
  return { shapeName, local };
}

/** What nearly all are: one part of nothing unusual. */
const PLAIN_NAME = /^[\w-]{1,512}$/;

function problemOf(text: string, local: string): string | undefined {
  if (PLAIN_NAME.test(local)) return undefined;
  if (Buffer.byteLength(local) > RECORD_NAME_BYTES_MAX) {
    return `${shown(text)} is longer than ${RECORD_NAME_BYTES_MAX} bytes.`;
  }
  // A lone surrogate has no UTF-8 form: two different names would become one when stored.
  if (!local.isWellFormed()) return `${shown(text)} holds half of a surrogate pair.`;
  if (local.split('/').every(isRecordNamePart)) return undefined;
  return `${shown(text)} is not a record's name: its parts must not be empty, . or .., nor hold white space, control characters or any of ? # @ : $ + * % \\.`;
}

export function formatRecordName({ shapeName, local }: RecordName): string {
  return local === '' ? shapeName : `${shapeName}/${local}`;
}

/** Invisible characters are escaped: they would be invisible in the message too. */
const shown = (text: string) =>
  JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text).replaceAll(
    /[\p{Cf}\p{Cn}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
