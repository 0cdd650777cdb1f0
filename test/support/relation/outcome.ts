// Compares the result of a commit with the model's expectation.
import type { CommitResult } from '@cairn/protocol/commit';
import { expect } from 'vitest';
import type { Expected, SentOperation } from './operation.ts';

export interface Refused {
  readonly code: string;
  readonly details: { readonly operations: readonly { index: number; code: string }[] };
}

export const isFailure = ({ outcomes }: Expected) => !outcomes.includes('applied') && !outcomes.includes('noop');

interface Answered {
  readonly sent: readonly SentOperation[];
  readonly expected: readonly Expected[];
  readonly answer: CommitResult | Refused;
}

export function expectRefused({ sent, expected, answer }: Answered): void {
  const failed = 'code' in answer ? answer.details.operations : [];
  const codes = sent.map((_, index) => failed.find((one) => one.index === index)?.code ?? 'none');
  const outcomes = expected.map((one) => (isFailure(one) ? one.outcomes : ['none']));
  expectOutcomes({ sent, outcomes, codes });
  expect(answer).toHaveProperty('code', failed[0]?.code);
}

export function expectApplied({ sent, expected, answer }: Answered, nextSeq: number): CommitResult {
  if ('code' in answer) throw new Error(`refused: ${JSON.stringify({ sent, answer })}`, { cause: answer });
  const codes = answer.operations.map(({ status, error }) => error?.code ?? status);
  expectOutcomes({ sent, outcomes: expected.map(({ outcomes }) => outcomes), codes });
  for (const [index, { name, version }] of expected.entries()) {
    const { status, ...told } = answer.operations[index] ?? {};
    if (status === 'error') continue;
    expect(told).toMatchObject({ version, ...(name !== undefined && { name }) });
  }
  expect(answer.repoSeq).toBe(codes.includes('applied') ? nextSeq : nextSeq - 1);
  return answer;
}

interface Comparison {
  readonly sent: readonly SentOperation[];
  readonly outcomes: readonly (readonly string[])[];
  readonly codes: readonly string[];
}

/** Both sides include the operations, so that a failure explains itself. */
function expectOutcomes({ sent, outcomes, codes }: Comparison): void {
  const rows = (told: readonly string[]) =>
    sent.map((operation, index) => `${told[index]}: ${JSON.stringify(operation)}`);
  const accepted = outcomes.map((some, index) =>
    some.includes(codes[index] ?? '') ? codes[index] : some.join(' or '),
  );
  expect(rows(codes)).toEqual(rows(accepted.map(String)));
}
