import { CairnError, type ErrorCode } from '@cairn/sdk';
import { JsonRefusal } from './operation-place.ts';

export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  notSignedIn: 3,
  notFound: 4,
  conflict: 5,
  partlyApplied: 6,
  network: 7,
} as const;

const BY_CODE: Partial<Record<ErrorCode, number>> = {
  'export-parameters-conflict': EXIT.usage,
  'export-seq-unavailable': EXIT.usage,
  UNAUTHENTICATED: EXIT.notSignedIn,
  NOT_FOUND: EXIT.notFound,
  'export-token-unknown': EXIT.notFound,
  CONFLICT: EXIT.conflict,
  ALREADY_EXISTS: EXIT.conflict,
  ARCHIVED: EXIT.conflict,
  NETWORK_ERROR: EXIT.network,
};

export function exitCodeOf(error: unknown): number {
  // Wrong server settings in `cairn admin` are wrong usage too, but their class belongs to the server.
  if (error instanceof UsageError || (error instanceof Error && error.name === 'ConfigError')) return EXIT.usage;
  if (!(error instanceof CairnError)) return EXIT.failed;
  if (error.code === 'VALIDATION_ERROR') return isOfContent(error) ? EXIT.failed : EXIT.usage;
  return BY_CODE[error.code] ?? EXIT.failed;
}

function isOfContent(error: CairnError): boolean {
  const told = [error.details].flat().filter((detail) => typeof detail === 'object' && detail !== null);
  return error instanceof JsonRefusal || told.some((detail) => 'line' in detail || 'status' in detail);
}

export class UsageError extends Error {}
