// Fixes operations by the details of a refusal: the failed operation, the path in its data, and the expected value.

interface Refusal {
  readonly error: {
    readonly details?: { readonly operations?: readonly FailedOperation[] };
  };
}

interface FailedOperation {
  readonly index: number;
  /** Operations that only wait for another one become valid once that one is fixed. */
  readonly code: string;
  readonly details?: readonly { readonly path: string; readonly message: string }[];
}

export interface Mendable {
  readonly data: Record<string, unknown>;
}

/** Returns all operations, with the refused ones fixed, to be sent again together. */
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

/** Finds the number in `expected a number, got "31 cm"`. */
function expectedOf(message: string): number {
  const [, number] = /^expected a number, got ".*?(-?\d+(?:\.\d+)?).*"$/.exec(message) ?? [];
  if (number === undefined) throw new Error(`I do not know how to mend this: ${message}`);
  return Number(number);
}
