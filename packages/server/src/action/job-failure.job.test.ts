import { fail } from '@cairn/protocol/errors';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { tellOfJobFailure } from './repetition.job.ts';

function logged(error: unknown): string {
  const lines: string[] = [];
  tellOfJobFailure(pino({}, { write: (line) => void lines.push(line) }), 'sweep', error);
  return lines.join('');
}

it('what passes by itself is told without a stack', () => {
  const line = logged(fail('UNAVAILABLE', { message: 'The read took too long.', cause: new Error('canceled') }));
  expect(JSON.parse(line)).toMatchObject({ job: 'sweep', problem: 'The read took too long.', cause: 'canceled' });
  expect(line).not.toContain('job-failure.job.test');
});

it('what should not happen is told with all that is known', () => {
  expect(logged(new Error('a mistake'))).toContain('job-failure.job.test');
});
