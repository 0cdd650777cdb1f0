// What of a row of the form of a shape is folded, in words.
import { constraintsOf, declarationOf } from './declaration.ts';
import { definitionOf, type FieldRow } from './shape-draft.ts';
import { problemsIn } from './shape-row-problem.ts';

const LIMITED: Readonly<Record<string, string>> = { string: 'values, length, pattern', number: 'values, limits' };

/** What is set; where nothing is, what can be. */
export function foldedWords(row: FieldRow): string {
  const { type, description, isIndexed } = row;
  const isWrong = Object.keys(problemsIn(row)).length > 0;
  const set = [
    ...(description.trim() === '' ? [] : [`“${description}”`]),
    ...(isWrong ? [] : constraintsOf(declarationOf(definitionOf(row)))),
    ...(isIndexed && canBeIndexed(row) ? ['indexed'] : []),
  ];
  const offered = ['description', LIMITED[type], canBeIndexed(row) ? 'index' : undefined];
  return (set.length > 0 ? set : offered.filter((one) => one !== undefined)).join(', ');
}

export const canBeIndexed = ({ type, isList }: FieldRow): boolean => !isList && type !== 'json';
