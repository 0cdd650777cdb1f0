import type { ChoiceValue } from '@cairn/model/declaration';
import { isJsonObject } from '@cairn/model/json';
import { pointerTo } from '@cairn/model/json-pointer';
import { type ReactNode, useState } from 'react';
import { useSight } from '../../app/sight.ts';
import { type Control, Field } from '../../ui/field.tsx';
import type { Problems } from '../../ui/problems.ts';
import { Alert, ProblemText, Text } from '../../ui/text.tsx';
import { RecordBox } from '../records/record-box.tsx';
import { type FormField, type Input, unchosen, withField } from './form-field.ts';
import { inexactText, numberOf, readJson } from './json-text.ts';
import { ListInput } from './list-input.tsx';

interface DataFormProps {
  readonly fields: readonly FormField[];
  readonly data: unknown;
  readonly onChange: (data: unknown) => void;
  readonly problems: Problems;
  readonly parent?: string;
}

export function DataForm({ fields, data, onChange, problems, parent = '' }: DataFormProps) {
  const values = isJsonObject(data) ? data : {};
  return fields.map((field) => {
    const place = pointerTo(parent, field.name);
    const change = (value: unknown) => onChange(withField(data, field.name, value));
    const value = values[field.name];
    const problem = problems.byPath.get(place);
    const label = <Label field={field} />;
    if (field.input.type !== 'object') {
      return (
        <ValueInput
          key={field.name}
          label={label}
          name={field.name}
          hint={hintOf(field)}
          input={field.input}
          value={value}
          onChange={change}
          problem={problem}
          problems={problems}
          place={place}
        />
      );
    }
    return (
      <DataGroup
        key={field.name}
        label={label}
        fields={field.input.fields}
        data={value}
        onChange={change}
        problems={problems}
        parent={place}
      />
    );
  });
}

interface DataGroupProps extends DataFormProps {
  readonly label: ReactNode;
  readonly parent: string;
}

export function DataGroup({ label, ...form }: DataGroupProps) {
  const problem = form.problems.byPath.get(form.parent);
  return (
    <fieldset className={problem === undefined ? 'fields' : 'fields refused'}>
      <legend>{label}</legend>
      {problem !== undefined && <ProblemText>{problem}</ProblemText>}
      <DataForm {...form} />
    </fieldset>
  );
}

const Label = ({ field: { name, isOptional } }: { field: FormField }) => (
  <>
    <Text>{name}</Text>
    {isOptional && <span className="quiet"> (optional)</span>}
  </>
);

const AS_JSON = 'JSON, such as "text", 3, ["a", "b"] or { "x": 1 }';

function hintOf({ description, constraints, input }: FormField) {
  const told = [description, ...constraints, input.type === 'json' ? AS_JSON : undefined].filter(
    (one) => one !== undefined,
  );
  return told.length === 0 ? undefined : <Text>{told.join('; ')}</Text>;
}

export interface ValueInputProps {
  readonly label: ReactNode;
  readonly name: string;
  readonly hint?: ReactNode;
  readonly input: Input;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly problem?: string | undefined;
  readonly problems: Problems;
  readonly place: string;
}

export function ValueInput(props: ValueInputProps) {
  const { label, hint, problem, input, value, onChange } = props;
  if (input.type === 'list') return <ListInput {...props} item={input.item} />;
  return (
    <Field label={label} hint={hint} problem={problem && (unchosen(input, value) ?? problem)}>
      {(control) => <OneInput control={control} input={input} value={value} onChange={onChange} />}
    </Field>
  );
}

interface OneInputProps extends Pick<ValueInputProps, 'input' | 'value' | 'onChange'> {
  readonly control: Control;
}

function OneInput({ control, input, value, onChange }: OneInputProps) {
  const sight = useSight();
  if (input.type === 'wref') {
    return (
      <RecordBox
        {...control}
        sight={sight}
        value={inputText(value)}
        onChange={(text) => onChange(text.trimStart() || undefined)}
        {...(input.shapes !== undefined && { shapes: input.shapes })}
      />
    );
  }
  if (input.type === 'choice') return <Choices {...{ control, value, onChange }} choices={input.choices} />;
  if (input.type === 'boolean') return <Choices {...{ control, value, onChange }} choices={[true, false]} />;
  if (input.type === 'number') return <NumberBox {...{ control, value, onChange }} />;
  if (input.type === 'text') return <TextBox {...{ control, value, onChange }} isLine={input.isLine === true} />;
  return <JsonBox {...{ control, value, onChange }} />;
}

type BoxProps = Omit<OneInputProps, 'input'>;

const inputText = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

/** Long texts get several lines; in a short one Enter would add an unwanted line. */
function TextBox({ control, value, onChange, isLine }: BoxProps & { readonly isLine: boolean }) {
  const text = inputText(value);
  // An input would drop existing line breaks. The control never changes while typing.
  const [isOne] = useState(isLine && !text.includes('\n'));
  const change = (typed: string) => onChange(typed === '' ? undefined : typed);
  return (
    <>
      {isOne ? (
        <input
          {...control}
          type="text"
          value={text}
          autoComplete="off"
          onChange={({ target }) => change(target.value)}
        />
      ) : (
        <textarea {...control} className="text-box" value={text} onChange={({ target }) => change(target.value)} />
      )}
      {text !== '' && text.trim() === '' && (
        <p className="hint" role="status">
          This text contains only spaces. It is saved as it is.
        </p>
      )}
    </>
  );
}

function NumberBox({ control, value, onChange }: BoxProps) {
  // Keeps `-` or `1.` while a number is typed.
  const [typed, setTyped] = useState<string>();
  const shown = typed !== undefined && numberOf(typed) === value ? typed : inputText(value);
  const problem = inexactText(value);
  return (
    <>
      <input
        {...control}
        ref={(box) => box?.setCustomValidity(problem ?? '')}
        inputMode="decimal"
        autoComplete="off"
        value={shown}
        onChange={({ target }) => {
          setTyped(target.value);
          onChange(numberOf(target.value));
        }}
      />
      {problem !== undefined && <Alert>{problem}</Alert>}
    </>
  );
}

const WORDS: Readonly<Record<string, string>> = { true: 'yes', false: 'no' };

function Choices({ control, value, onChange, choices }: BoxProps & { readonly choices: readonly ChoiceValue[] }) {
  const index = choices.indexOf(value as ChoiceValue);
  return (
    <select {...control} value={index} onChange={({ target }) => onChange(choices[Number(target.value)])}>
      <option value={-1}>
        {value === undefined || index >= 0 ? 'Not set' : `Not an allowed value: ${inputText(value)}`}
      </option>
      {choices.map((choice, place) => (
        <option key={String(choice)} value={place}>
          {typeof choice === 'boolean' ? WORDS[String(choice)] : String(choice)}
        </option>
      ))}
    </select>
  );
}

/** Keeps text that is not JSON yet, or that parsing would change. */
function JsonBox({ control, value, onChange }: BoxProps) {
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, undefined, 2)));
  const [problem, setProblem] = useState<string>();
  const read = (next: string) => {
    setText(next);
    const found = next.trim() === '' ? { value: undefined } : readJson(next);
    setProblem('problem' in found ? found.problem : undefined);
    if ('value' in found) onChange(found.value);
  };
  return (
    <>
      <textarea
        {...control}
        ref={(box) => box?.setCustomValidity(problem ?? '')}
        className="json"
        rows={4}
        spellCheck={false}
        value={text}
        onChange={(event) => read(event.target.value)}
      />
      {problem !== undefined && <Alert>{problem}</Alert>}
    </>
  );
}
