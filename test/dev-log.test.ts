// The log output of `npm run dev`, in a terminal and elsewhere.
import { expect, it } from 'vitest';
import { createDevLog } from '../scripts/dev-log.ts';

function logged(isTerminal: boolean, level = 'info'): string[] {
  const lines: string[] = [];
  const { log, tellAll } = createDevLog({ level, isTerminal, destination: { write: (line) => lines.push(line) } });
  log.info('a request of the demo');
  log.warn('trouble');
  tellAll();
  log.info('a request of somebody');
  log.debug('a detail');
  return lines.map((line) => JSON.parse(line).msg);
}

it('does not tell at a terminal what the demo asks for, but trouble, and then all', () => {
  expect(logged(true)).toEqual(['trouble', 'a request of somebody']);
  expect(logged(false)).toEqual(['a request of the demo', 'trouble', 'a request of somebody']);
});

it('tells no more than its level lets through', () => {
  expect(logged(true, 'error')).toEqual([]);
  expect(logged(true, 'silent')).toEqual([]);
  expect(logged(true, 'debug')).toEqual(['trouble', 'a request of somebody', 'a detail']);
});
