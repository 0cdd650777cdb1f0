// References by their role, and what a role is called for people.
import type { ReferenceItem } from '@cairn/sdk';
import type { Direction } from './record.ts';

const LABELS: Readonly<Record<Direction, Readonly<Record<string, string>>>> = {
  out: { about: 'It is about', field: 'In its fields' },
  in: { about: 'Said about it', field: 'In fields of' },
};

export interface ReferenceGroup {
  readonly label: string;
  readonly references: readonly ReferenceItem[];
}

/** In the order in which their roles come first. */
export function groupByRole(references: readonly ReferenceItem[], direction: Direction): ReferenceGroup[] {
  const groups = new Map<string, ReferenceItem[]>();
  for (const reference of references) {
    const group = groups.get(reference.role);
    if (group === undefined) groups.set(reference.role, [reference]);
    else group.push(reference);
  }
  return [...groups].map(([role, members]) => ({ label: labelOf(role, direction), references: members }));
}

/** All other roles are places in collections. */
const labelOf = (role: string, direction: Direction): string =>
  LABELS[direction][role] ?? (direction === 'out' ? `Its “${role}”` : `Collections that have it in “${role}”`);

/** What refers is shown as it is now, not as it was when it began to refer. */
export const unpinned = (wref: string): string => wref.replace(/@v\d+$/, '');
