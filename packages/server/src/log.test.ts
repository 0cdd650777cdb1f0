// The log as a terminal shows it. The JSON form is tested with the server process.
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { terminalLog } from './log.ts';

const REQUEST = {
  requestId: 'r1',
  method: 'GET',
  path: '/api/repos/ada/world/head',
  status: 200,
  ms: 2.345,
  who: 'ada',
};

function show(write: (log: ReturnType<typeof pino>) => void): string {
  const texts: string[] = [];
  write(
    pino(
      { level: 'info', base: null },
      terminalLog((text) => texts.push(text)),
    ),
  );
  return texts.join('').replaceAll(/^\d\d:\d\d:\d\d/gm, 'AT');
}

it('has one short line for each request', () => {
  expect(show((log) => log.info({ ...REQUEST, query: ['match', 'limit'] }, 'request'))).toBe(
    'AT 200 GET /api/repos/ada/world/head?match&limit 2 ms ada\n',
  );
  expect(show((log) => log.info({ ...REQUEST, status: 404 }, 'request'))).toContain('AT 404 GET ');
});

it('names the request that failed by the id that the client got', () => {
  expect(show((log) => log.info({ ...REQUEST, status: 500 }, 'request'))).toMatch(/ ada r1\n$/);
});

it('leaves out assets, unless one is missing', () => {
  const path = '/assets/index.js';
  expect(show((log) => log.info({ ...REQUEST, path }, 'request'))).toBe('');
  expect(show((log) => log.info({ ...REQUEST, path, status: 404 }, 'request'))).toContain('404 GET /assets/index.js');
});

it('shows other entries with their level, fields and stack', () => {
  expect(show((log) => log.warn({ attempt: 2 }, 'The mail server is away.'))).toBe(
    'AT WARN The mail server is away. {"attempt":2}\n',
  );
  expect(show((log) => log.error({ err: new Error('No space left') }, 'A write failed.'))).toMatch(
    /^AT ERROR A write failed\.\n {2}Error: No space left\n {6}at .*\n/,
  );
});

it('shows no control characters, which could rewrite the terminal', () => {
  const shown = show((log) => {
    log.info({ ...REQUEST, path: '/\u001b[2J\u0007\u202e', who: 'a\u009bb' }, 'request');
    log.info('one\u001b[1m');
  });
  expect(shown).toContain('/\\u{1b}[2J\\u{7}\\u{202e} 2 ms a\\u{9b}b');
  expect(shown).toContain('one\\u{1b}[1m');
});
