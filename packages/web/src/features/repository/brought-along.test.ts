import { expect, it } from 'vitest';
import { broughtAlong } from './activity.ts';

const shape = (name: string) => ({ name, count: 1, version: 1, fields: {} });

it('says which of the counts are not of what somebody wrote as a record', () => {
  expect(broughtAlong({ shapes: [shape('Content'), shape('Place')], contents: ['readme', 'agents'] })).toEqual({
    thing: 'Including the readme and the instructions for agents.',
    shape: 'Including 1 built-in: Content.',
  });
  expect(broughtAlong({ shapes: [shape('Place')], contents: [] })).toEqual({ thing: '', shape: '' });
});
