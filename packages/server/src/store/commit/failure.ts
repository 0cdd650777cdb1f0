// How a commit tells what went wrong: each operation that failed, and the refusal of a commit that is all or none.
import type { OperationResult } from '@cairn/protocol/commit';
import { type CairnError, fail } from '@cairn/protocol/errors';

export const ERRORS_SHOWN_MAX = 100;
const TEXT_SHOWN_MAX = 600;

interface Failure {
  readonly opIndex: number;
  readonly error: CairnError;
  /** Beyond the first hundred, code and message must do: ten thousand lists of problems would fill the memory. */
  readonly detailed: boolean;
}

type Sent = Readonly<Record<'operation' | 'kind' | 'name' | 'about' | 'members', unknown>>;

export function failed(raw: unknown, { opIndex, error, detailed }: Failure): OperationResult {
  const sent = (typeof raw === 'object' && raw !== null ? raw : {}) as Sent;
  const { operation, name } = sent;
  const { code, message, details } = error.fields;
  return {
    opIndex,
    operation: typeof operation === 'string' ? clip(operation) : 'add',
    kind: likelyKind(sent),
    name: typeof name === 'string' ? clip(name) : '',
    status: 'error',
    error: { code, message: clip(message), ...(detailed && details !== undefined && { details }) },
  };
}

/** As far as an operation that is wrong lets one tell. */
function likelyKind({ kind, name, about, members }: Sent): OperationResult['kind'] {
  if (kind === 'assertion' || kind === 'collection' || kind === 'shape' || kind === 'thing') return kind;
  if (about !== undefined) return 'assertion';
  if (members !== undefined) return 'collection';
  return typeof name === 'string' && /^[^/#0-9][^/]*$/.test(name) ? 'shape' : 'thing';
}

function clip(text: string): string {
  return text.length > TEXT_SHOWN_MAX ? `${text.slice(0, TEXT_SHOWN_MAX)}…` : text;
}

export function refuseFailed(results: readonly OperationResult[]): void {
  const wrong = results.filter(({ status }) => status === 'error');
  const [first] = wrong;
  if (first?.error === undefined) return;
  const operations = wrong
    .slice(0, ERRORS_SHOWN_MAX)
    .map(({ opIndex, name, error }) => ({ index: opIndex, name, ...error }));
  const count = `${wrong.length} of ${results.length} operations failed; the first, operation ${first.opIndex}`;
  const which = results.length === 1 ? '' : `${count}: `;
  throw fail(first.error.code, {
    message: `Nothing was committed. ${which}${first.error.message}`,
    details: { failed: wrong.length, operations },
    ...(results.length > 1 && {
      hint: 'Mend the operations that are named, or send atomic: false to apply the others.',
    }),
  });
}
