import { lazy, Suspense, useState } from 'react';
import type { DeclaredField } from '../../data/declared-field.ts';
import { fromJson, toJson } from '../../data/where.ts';
import type { Choose } from './use-choice.ts';

const JsonEditor = lazy(async () => ({ default: (await import('./json-editor.tsx')).JsonEditor }));

interface ConditionJsonProps {
  readonly where: readonly string[];
  readonly fields: readonly DeclaredField[];
  readonly choose: Choose;
}

/** The same conditions as JSON, for who would rather write. */
export function ConditionJson({ where, fields, choose }: ConditionJsonProps) {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState(() => toJson(where, fields));
  const [problem, setProblem] = useState<string>();
  const apply = () => {
    const read = fromJson(text);
    if ('problem' in read) setProblem(read.problem);
    else choose({ where: read.texts.length === 0 ? undefined : read.texts });
  };
  return (
    <details className="condition-json" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As JSON</summary>
      {isOpen && (
        <>
          <Suspense fallback={<p className="waiting">Loading the editor…</p>}>
            <JsonEditor label="Conditions as JSON" initial={text} fields={fields} onChange={setText} />
          </Suspense>
          <p className="choices">
            <button type="button" className="small" onClick={apply}>
              Apply JSON
            </button>
            <span className="quiet">Ctrl+Space offers fields, operators and values.</span>
          </p>
          {problem !== undefined && (
            <p className="problem" role="alert">
              {problem}
            </p>
          )}
        </>
      )}
    </details>
  );
}
