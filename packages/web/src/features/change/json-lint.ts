// What an editor of JSON underlines beside what is no JSON: what parsing would change without a word.
import { syntaxTree } from '@codemirror/language';
import type { Diagnostic } from '@codemirror/lint';
import type { EditorView } from '@codemirror/view';
import { isInexact } from './json-text.ts';

const TWICE = 'This name is there already in the same object. Only one of them can stay.';
const INEXACT = 'This number cannot be kept exactly. Write it as text, in quotation marks, if each digit matters.';

/** Equal names of an object, from the second on, and numbers that would become others. */
export function changedByParsing({ state }: EditorView): Diagnostic[] {
  const found: Diagnostic[] = [];
  /** The names of each object, by where it begins. */
  const names = new Map<number, Set<string>>();
  syntaxTree(state).iterate({
    enter: ({ name, from, to, node }) => {
      const text = () => state.sliceDoc(from, to);
      if (name === 'Number' && isInexact(text())) found.push({ from, to, severity: 'error', message: INEXACT });
      if (name !== 'PropertyName') return;
      const object = node.parent?.parent?.from ?? 0;
      const before = names.get(object) ?? new Set();
      if (before.has(text())) found.push({ from, to, severity: 'error', message: TWICE });
      names.set(object, before.add(text()));
    },
  });
  return found;
}
