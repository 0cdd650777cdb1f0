import { unpinWref } from '@cairn/model/wref';
import { describe, expect, it } from 'vitest';
import { groupByRole } from './record.ts';

const reference = (role: string, wref: string) =>
  ({ direction: 'in', role, path: '', wref, durableId: wref, pinnedVersion: 1 }) as const;

describe('references', () => {
  it('are grouped by role, in their order', () => {
    const all = [reference('about', 'Belief/a@v1'), reference('to', 'Arc/b@v1'), reference('about', 'Belief/c@v1')];
    expect(groupByRole(all, 'in')).toEqual([
      { label: 'Assertions', references: [all[0], all[2]] },
      { label: 'Collections, in “to”', references: [all[1]] },
    ]);
    expect(groupByRole(all, 'out').map(({ label }) => label)).toEqual(['About', 'In “to”']);
  });

  it('lead to what refers as it is', () => {
    expect(unpinWref('Location/cave@v12')).toBe('Location/cave');
    expect(unpinWref('wh:acme/world/Location/cave@v1')).toBe('wh:acme/world/Location/cave');
    expect(unpinWref('Location/cave')).toBe('Location/cave');
  });
});
