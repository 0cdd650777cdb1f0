// Mends operations by what a refusal says: which of them, where in its data, and what was expected there.

interface Refusal {
  readonly error: {
    readonly details?: { readonly operations?: readonly FailedOperation[] };
  };
}

interface FailedOperation {
  readonly index: number;
  /** Those that only wait for another one are right once that one is mended. */
  readonly code: string;
  readonly details?: readonly { readonly path: string; readonly message: string }[];
}

export interface Mendable {
  readonly data: Record<string, unknown>;
}

/** The operations with what the refusal names put right, to be sent again together. */
export function mend<Operation extends Mendable>(operations: readonly Operation[], refusal: string): Operation[] {
  const { details } = (JSON.parse(refusal) as Refusal).error;
  const mended = [...operations];
  for (const { index, details: problems = [], code } of details?.operations ?? []) {
    const operation = mended[index];
    if (operation === undefined || code !== 'SHAPE_MISMATCH') continue;
    const fields = problems.map(({ path, message }) => [path.slice(1), expectedOf(message)]);
    mended[index] = { ...operation, data: { ...operation.data, ...Object.fromEntries(fields) } };
  }
  return mended;
}

/** `expected a number, got "31 cm"`: the number is in what was given. */
function expectedOf(message: string): number {
  const [, number] = /^expected a number, got ".*?(-?\d+(?:\.\d+)?).*"$/.exec(message) ?? [];
  if (number === undefined) throw new Error(`I do not know how to mend this: ${message}`);
  return Number(number);
}
