// Proposes a valid name to somebody whose own name was refused.
import {
  CREDENTIAL_SET_NAME,
  findMisleadingCharacter,
  isRecordNamePart,
  ORGANIZATION_NAME,
  RECORD_NAME_BYTES_MAX,
  REPOSITORY_NAME,
  RESERVED_ORGANIZATION_NAMES,
  SHAPE_NAME,
  SUBSCRIPTION_NAME,
  TOKEN_NAME,
} from '@cairn/protocol/names';

interface Rule {
  readonly make: (text: string) => string;
  readonly holds: (name: string) => boolean;
}

const RULES = {
  organization: {
    make: dashed,
    holds: (name) => ORGANIZATION_NAME.test(name) && !RESERVED_ORGANIZATION_NAMES.has(name),
  },
  repository: { make: dashed, holds: (name) => REPOSITORY_NAME.test(name) },
  token: { make: dashed, holds: (name) => TOKEN_NAME.test(name) },
  subscription: { make: dashed, holds: (name) => SUBSCRIPTION_NAME.test(name) },
  credentialSet: { make: dashed, holds: (name) => CREDENTIAL_SET_NAME.test(name) },
  shape: { make: joined, holds: (name) => SHAPE_NAME.test(name) },
  record: { make: dashedParts, holds: (name) => isLocalName(name) },
} as const satisfies Record<string, Rule>;

export type NamedKind = keyof typeof RULES;

export const isName = (kind: NamedKind, text: string): boolean => RULES[kind].holds(text);

/**
 * The nearest valid name: `old-oak` for Old Oak. `undefined` if the text is valid already, or if no name can be
 * derived.
 */
export function proposedName(kind: NamedKind, text: string): string | undefined {
  const { make, holds } = RULES[kind];
  if (text.trim() === '' || holds(text)) return undefined;
  const name = make(text);
  return holds(name) ? name : undefined;
}

/** Removes accents, which such names cannot have. Empty if letters would be lost. */
function plainLetters(text: string): string {
  const plain = text.normalize('NFKD').replace(/\p{M}/gu, '');
  return /[^\P{L}A-Za-z]/u.test(plain) ? '' : plain;
}

function dashed(text: string): string {
  return plainLetters(text)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}

function joined(text: string): string {
  const words = plainLetters(text)
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  return words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join('');
}

/** Record names allow any script. */
function dashedParts(text: string): string {
  return text
    .toLowerCase()
    .split('/')
    .map((part) => part.replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '-').replace(/^[-.]+|[-.]+$/g, ''))
    .filter((part) => part !== '')
    .join('/');
}

/** Leaves room for the name of its shape. */
const LOCAL_BYTES_MAX = RECORD_NAME_BYTES_MAX - 129;

const isLocalName = (name: string): boolean =>
  name.split('/').every(isRecordNamePart) &&
  findMisleadingCharacter(name) === undefined &&
  new TextEncoder().encode(name).byteLength <= LOCAL_BYTES_MAX;
