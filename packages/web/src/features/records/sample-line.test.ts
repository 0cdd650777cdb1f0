import { expect, it } from 'vitest';
import { sampleLine } from './sample-line.ts';

const read = (...shapes: Parameters<typeof sampleLine>[0]) => JSON.parse(sampleLine(shapes) ?? 'null');

it('is of the shape that most records have, with what must be there', () => {
  const fields = {
    label: 'string',
    'note?': 'string',
    level: { type: 'number', minimum: 3 },
    state: { type: 'string', enum: ['open', 'closed'] },
    code: { type: 'string', minLength: 6 },
    near: { type: 'array', items: { type: 'wref', shape: 'Place' }, minItems: 2 },
    at: { lat: 'number', 'lon?': 'number' },
    known: 'boolean',
    anything: 'wref',
  };
  const shapes = [
    { name: 'Few', fields: {}, count: 1 },
    { name: 'Place', fields, count: 2 },
    { name: 'Content', fields: { content: 'string' }, count: 9 },
  ];
  expect(read(...shapes)).toEqual({
    name: 'Place/new-name',
    data: {
      label: 'text',
      level: 3,
      state: 'open',
      code: 'text..',
      near: ['Place/name', 'Place/name'],
      at: { lat: 1 },
      known: true,
      anything: 'Shape/name',
    },
  });
});

it('shows one field where none must be there, and nothing without a shape', () => {
  expect(read({ name: 'Place', fields: { 'a?': 'number', 'b?': 'string' }, count: 0 }).data).toEqual({ a: 1 });
  expect(sampleLine([{ name: 'Content', fields: { content: 'string' }, count: 1 }])).toBeUndefined();
});
