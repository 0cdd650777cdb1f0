// Whether a commit was applied in part. Without zod, as record-kind.ts.
import type { OperationResult } from './commit.ts';

export function isPartial(operations: readonly OperationResult[]): boolean {
  const has = (wanted: OperationResult['status']) => operations.some(({ status }) => status === wanted);
  return has('applied') && has('error');
}
