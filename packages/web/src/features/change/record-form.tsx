import { isJsonObject } from '@cairn/model/json';
import { pointerTokens } from '@cairn/model/json-pointer';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { ActionForm } from '../../ui/action-form.tsx';
import { SmallButton } from '../../ui/button.tsx';
import { type Problems, problemsOf } from '../../ui/problems.ts';
import { Alert, Text } from '../../ui/text.tsx';
import { dataCompletion } from './completion.ts';
import { DataForm } from './data-form.tsx';
import { type FormField, fieldPointers, formOf, undeclaredIn } from './form-field.ts';
import { objectProblem } from './json-text.ts';

const JsonEditor = lazy(() => import('./json-editor.tsx').then((found) => ({ default: found.JsonEditor })));

export interface FilledData {
  readonly data: unknown;
  readonly json?: string | undefined;
}

interface RecordFormProps {
  readonly label: string;
  readonly fields: unknown;
  readonly filled: FilledData;
  readonly fill: (part: Partial<FilledData>) => void;
  readonly onSubmit: () => void;
  readonly isPending: boolean;
  readonly error: unknown;
  readonly before?: (problems: Problems) => ReactNode;
  readonly places?: readonly string[];
  readonly beside?: (isBroken: boolean) => ReactNode;
}

const DATA = '/data';

export function RecordForm(props: RecordFormProps) {
  const { label, fields, filled, fill, onSubmit, isPending, error, before, places = [], beside } = props;
  const { data, json } = filled;
  const isBroken = json !== undefined;
  const form = useMemo(() => formOf(fields), [fields]);
  const [isJson, setIsJson] = useState(form.length === 0 || isBroken);
  const [mended, setMended] = useState<ReadonlySet<string>>(new Set());
  const [told, setTold] = useState({ error, data });
  if (told.error !== error) {
    setTold({ error, data });
    setMended(new Set());
  }
  const problems = withoutMended(
    problemsOf(error, isJson ? places : [...fieldPointers(form, data, DATA), ...places]),
    mended,
  );
  const isOutdated = isJson && (isBroken || told.data !== data);
  const change = (next: unknown) => {
    setMended(new Set([...mended, ...form.map(({ name }) => name).filter((name) => isOther(data, next, name))]));
    fill({ data: next });
  };
  return (
    <ActionForm
      label={label}
      action="Review"
      doing="Checking…"
      onSubmit={onSubmit}
      isPending={isPending}
      isReady={!isBroken}
      problem={isOutdated ? undefined : problems.whole}
      beside={beside?.(isBroken)}
    >
      {before?.(problems)}
      <p className="form-way">
        <SmallButton disabled={isBroken} onClick={() => setIsJson(!isJson)}>
          {isJson ? 'Edit as form' : 'Edit as JSON'}
        </SmallButton>
      </p>
      {isJson ? (
        <DataJson filled={filled} fill={fill} fields={form} />
      ) : (
        <>
          <DataForm fields={form} data={data} onChange={change} problems={problems} parent={DATA} />
          <Undeclared names={undeclaredIn(data, form)} />
        </>
      )}
    </ActionForm>
  );
}

const isOther = (before: unknown, after: unknown, name: string): boolean =>
  (isJsonObject(before) ? before[name] : undefined) !== (isJsonObject(after) ? after[name] : undefined);

function withoutMended(problems: Problems, mended: ReadonlySet<string>): Problems {
  const left = [...problems.byPath].filter(([path]) => {
    const [part, field = ''] = pointerTokens(path);
    return part !== 'data' || !mended.has(field);
  });
  return { ...problems, byPath: new Map(left) };
}

function Undeclared({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <p className="quiet">
      The shape does not declare these fields, so they keep their values: <Text>{names.join(', ')}</Text>. To change
      them, edit as JSON.
    </p>
  );
}

interface DataJsonProps extends Pick<RecordFormProps, 'filled' | 'fill'> {
  readonly fields: readonly FormField[];
}

function DataJson({ filled: { data, json }, fill, fields }: DataJsonProps) {
  const [initial] = useState(() => json ?? JSON.stringify(data ?? {}, undefined, 2));
  const problem = json === undefined ? undefined : objectProblem(json);
  const read = (text: string) =>
    fill(objectProblem(text) === undefined ? { data: JSON.parse(text), json: undefined } : { json: text });
  return (
    <div className="field">
      <span className="field-label">Data</span>
      <Suspense fallback={<p role="status">Loading editor…</p>}>
        <JsonEditor label="Data" initial={initial} complete={dataCompletion(fields)} onChange={read} />
      </Suspense>
      {problem !== undefined && (
        <Alert>
          <Text most={400}>{problem}</Text>
        </Alert>
      )}
    </div>
  );
}
