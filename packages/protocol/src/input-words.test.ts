// Validation errors are in our own words, whatever form the value lacks.
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { INPUT_WORDS, invalidInput } from './input-words.ts';

const form = z.strictObject({
  name: z.string('not a name').optional(),
  count: z.number().int().min(2).max(9).optional(),
  tags: z.array(z.string().min(1)).max(1).optional(),
  either: z.union([z.string(), z.array(z.string())]).optional(),
  some: z.union([z.enum(['add', 'revise']), z.array(z.string())]).optional(),
  form: z.union([z.string(), z.strictObject({ path: z.string() })]).optional(),
  order: z.enum(['asc', 'desc']).optional(),
  one: z.literal('this').optional(),
  kind: z
    .discriminatedUnion('type', [z.object({ type: z.literal('a') }), z.object({ type: z.literal('b') })])
    .optional(),
  inner: z.strictObject({ on: z.boolean() }).optional(),
  free: z.record(z.string(), z.number()).optional(),
  gone: z.undefined().optional(),
  address: z.url().optional(),
});

function refused(value: unknown, schema: z.ZodType = form): string {
  try {
    schema.parse(value, INPUT_WORDS);
  } catch (error) {
    return invalidInput(error as z.ZodError).message.replace('The input is not valid: ', '');
  }
  throw new Error('it was not refused');
}

describe('input of another form', () => {
  it.each([
    [{ name: 1 }, 'name: not a name.'],
    [{ count: '3' }, 'count: expected a number, got a string.'],
    [{ count: 2.5 }, 'count: expected a whole number, got a fraction.'],
    [{ count: 1 }, 'count: it must be at least 2.'],
    [{ count: 10 }, 'count: it must be at most 9.'],
    [{ tags: 'a' }, 'tags: expected an array, got a string.'],
    [{ tags: [''] }, 'tags.0: it must not be empty.'],
    [{ tags: ['a', 'b'] }, 'tags: it must have at most 1 item.'],
    [{ tags: [null] }, 'tags.0: expected a string, got null.'],
    [{ either: 3 }, 'either: expected a string or an array.'],
    [{ some: 'stop' }, 'some: expected one of "add", "revise".'],
    [{ form: { path: 1 } }, 'form: path: expected a string, got a number.'],
    [{ order: 'up' }, 'order: expected one of "asc", "desc".'],
    [{ one: 'that' }, 'one: expected "this".'],
    [{ kind: { type: 'c' } }, 'kind.type: expected one of a, b.'],
    [{ inner: {} }, 'inner.on: it is missing.'],
    [{ inner: { on: 1 } }, 'inner.on: expected true or false, got a number.'],
    [{ inner: { on: true, of: 1 } }, 'inner: unknown field "of"; did you mean on?'],
    [{ free: [] }, 'free: expected an object, got an array.'],
    [{ gone: 1 }, 'gone: it is not allowed here.'],
    [{ address: 'here' }, 'address: it does not have the documented form.'],
    [[], 'expected an object, got an array.'],
    ['text', 'expected an object, got a string.'],
  ])('%j: %s', (value, words) => {
    expect(refused(value)).toBe(words);
  });
});

describe('a name that there is not', () => {
  it('is told with the nearest, or with all that there are', () => {
    expect(refused({ ordr: 'asc' })).toBe('unknown field "ordr"; did you mean order?');
    expect(refused({ colour: 1 })).toMatch(/^unknown field "colour"; the known fields are name, count, .*, address\.$/);
    expect(refused({ a: 1, b: 2 }, z.strictObject({ x: z.string().optional() }))).toBe(
      'unknown fields "a", "b"; the known fields are x.',
    );
    expect(refused({ a: 1 }, z.strictObject({}))).toBe('unknown field "a"; no fields are allowed here.');
  });

  it('is told in short', () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`key${index}`, index]));
    expect(refused(many)).toContain('"key4" and 995 more; the known fields are name, ');
    expect(refused({ ['x'.repeat(10_000)]: 1 }).length).toBeLessThan(300);
  });
});
