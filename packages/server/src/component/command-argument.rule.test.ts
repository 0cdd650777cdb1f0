import type { MethodArgument } from '@cairn/protocol/manifest';
import { describe, expect, it } from 'vitest';
import { readArguments } from './manifest.rule.ts';

const argument = (name: string, more: Partial<MethodArgument> = {}): MethodArgument => ({
  name,
  type: 'string',
  required: false,
  ...more,
});

const DECLARED = [
  argument('text', { required: true }),
  argument('limit', { type: 'integer', default: 10, min: 1, max: 100 }),
  argument('ratio', { type: 'number' }),
  argument('deep', { type: 'boolean' }),
  argument('how', { enum: ['words', 'letters'] }),
];

const problemsOf = (given: Record<string, unknown>) => readArguments(DECLARED, given).problems.map(({ path }) => path);

describe('arguments of a method', () => {
  it('come in the order of the manifest, with its defaults, and without those that were not given', () => {
    const { values, problems } = readArguments(DECLARED, { deep: false, text: '' });
    expect(problems).toEqual([]);
    expect([...values]).toEqual([
      ['text', ''],
      ['limit', 10],
      ['deep', false],
    ]);
  });

  it.each<[Record<string, unknown>, string[]]>([
    [{}, ['args.text']],
    [{ text: 1 }, ['args.text']],
    [{ text: null }, ['args.text']],
    [{ text: 'a', limit: 1.5 }, ['args.limit']],
    [{ text: 'a', limit: 2 ** 53 }, ['args.limit']],
    [{ text: 'a', limit: '5' }, ['args.limit']],
    [{ text: 'a', limit: 0 }, ['args.limit']],
    [{ text: 'a', limit: 101 }, ['args.limit']],
    [{ text: 'a', ratio: true }, ['args.ratio']],
    [{ text: 'a', deep: 'yes' }, ['args.deep']],
    [{ text: 'a', how: 'lines' }, ['args.how']],
    [{ text: 'a', more: 1 }, ['args.more']],
    [{ text: 'a', constructor: 1 }, ['args.constructor']],
    [{ limit: 0, ratio: [], more: 1 }, ['args.more', 'args.text', 'args.limit', 'args.ratio']],
  ])('%j are wrong, and all of it is named: %j', (given, paths) => {
    expect(problemsOf(given)).toEqual(paths);
  });

  it('may bear the names of what every object has', () => {
    const declared = [argument('constructor'), argument('toString', { required: true })];
    expect(readArguments(declared, {}).problems.map(({ path }) => path)).toEqual(['args.toString']);
    expect(readArguments(declared, {}).values.size).toBe(0);
  });
});
