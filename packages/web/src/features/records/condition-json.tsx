import { lazy, Suspense, useState } from 'react';
import type { DeclaredField } from '../shape/declared-field.ts';
import { NotApplied } from './not-applied.tsx';
import type { Choose } from './use-choice.ts';
import { fromJson, toJson } from './where.ts';
import { conditionCompletion } from './where-completion.ts';

const JsonEditor = lazy(async () => ({ default: (await import('../change/json-editor.tsx')).JsonEditor }));

interface ConditionJsonProps {
  /** The conditions as they are put together above, applied or not. */
  readonly where: readonly string[];
  readonly fields: readonly DeclaredField[];
  readonly choose: Choose;
}

/** The same conditions as JSON, for who would rather write. It follows what is put together until it is edited itself. */
export function ConditionJson({ where, fields, choose }: ConditionJsonProps) {
  const [isOpen, setOpen] = useState(false);
  const [edited, setEdited] = useState<{ readonly from: string; readonly text: string }>();
  const [problem, setProblem] = useState<string>();
  const initial = edited?.from ?? toJson(where, fields);
  const apply = () => {
    const read = fromJson(edited?.text ?? initial);
    if ('problem' in read) setProblem(read.problem);
    else choose({ where: read.texts.length === 0 ? undefined : read.texts });
  };
  return (
    <details className="condition-json" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>As JSON</summary>
      {isOpen && (
        <>
          <Suspense fallback={<p className="waiting">Loading the editor…</p>}>
            <JsonEditor
              key={initial}
              label="Conditions as JSON"
              initial={edited?.text ?? initial}
              complete={conditionCompletion(fields)}
              onChange={(text) => setEdited({ from: initial, text })}
            />
          </Suspense>
          <p className="choices">
            <button type="button" className={edited === undefined ? 'small' : 'small primary'} onClick={apply}>
              Apply JSON
            </button>
            <NotApplied isShown={edited !== undefined} />
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
