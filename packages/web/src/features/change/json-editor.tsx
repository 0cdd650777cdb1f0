// JSON editor in a shadow root: its constructed style sheets satisfy the content security policy.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, syntaxTree } from '@codemirror/language';
import { type Diagnostic, linter } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import type { Complete } from './completion.ts';
import { isInexact } from './json-text.ts';

interface JsonEditorProps {
  readonly label: string;
  readonly initial: string;
  readonly complete: Complete;
  readonly onChange: (text: string) => void;
}

export function JsonEditor({ label, initial, complete, onChange }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  // The editor is created once and reads the latest props.
  const now = useRef({ initial, complete, onChange });
  now.current = { initial, complete, onChange };
  useEffect(() => {
    if (host.current === null) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const extensions = [
      ...EDITING,
      EditorView.contentAttributes.of({ 'aria-label': label }),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) now.current.onChange(state.doc.toString());
      }),
      autocompletion({
        override: [
          ({ state, pos, explicit }) =>
            now.current.complete({ text: state.doc.toString(), place: pos, isAsked: explicit }) ?? null,
        ],
      }),
    ];
    const state = EditorState.create({ doc: now.current.initial, extensions });
    const view = new EditorView({ state, parent: root, root });
    return () => view.destroy();
  }, [label]);
  return <div className="json-editor" ref={host} />;
}

const LOOK = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'transparent', fontSize: '0.85rem' },
  '&.cm-focused': { outline: '2px solid var(--accent)' },
  '.cm-content': { caretColor: 'var(--ink)', fontFamily: 'ui-monospace, monospace', minHeight: '4rem' },
  '&.cm-focused .cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-matchingBracket, &.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--line)' },
  '.cm-tooltip': { backgroundColor: 'var(--paper)', color: 'var(--ink)', border: '1px solid var(--line)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    background: 'var(--accent)',
    color: 'var(--paper)',
  },
  '.cm-completionIcon': { display: 'none' },
  // The default is an image, which the policy blocks.
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--problem)' },
  '.cm-diagnostic-error': { borderLeft: '3px solid var(--problem)' },
});

/** Browsers merge replaced lines with style attributes, which the policy blocks. */
const replaceSelected = EditorView.domEventHandlers({
  beforeinput: ({ inputType, data }, view) => {
    const { from, to, empty } = view.state.selection.main;
    if (inputType !== 'insertText' || data === null || empty || view.composing) return false;
    const insert = () => view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type' });
    const isHandled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, insert));
    if (!isHandled) view.dispatch(insert());
    return true;
  },
});

const lintJson = jsonParseLinter();

const EDITING: readonly Extension[] = [
  json(),
  history(),
  bracketMatching(),
  closeBrackets(),
  linter((view) => (view.state.doc.toString().trim() === '' ? [] : [...lintJson(view), ...changedByParsing(view)])),
  EditorView.lineWrapping,
  replaceSelected,
  // Tab leaves the editor, as it does any other field.
  keymap.of([...closeBracketsKeymap, ...completionKeymap, ...defaultKeymap, ...historyKeymap]),
  LOOK,
];

const TWICE = 'This object already has a field with this name. Remove one of them.';
const INEXACT =
  'This number cannot be stored exactly. If each digit matters, put it in quotation marks to store it as text.';

/** Marks duplicate names, and numbers that parsing would round. */
function changedByParsing({ state }: EditorView): Diagnostic[] {
  const found: Diagnostic[] = [];
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
