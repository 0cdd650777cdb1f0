import { type ReactNode, useState } from 'react';
import { useSight } from '../../app/sight.ts';
import { type Choice, type Input, numberOf, unchosen } from '../../data/form-field.ts';
import { type Control, Field } from '../../parts/form/field.tsx';
import { RecordBox } from '../../parts/form/record-box.tsx';
import { ListInput } from './list-input.tsx';

export interface ValueInputProps {
  readonly label: ReactNode;
  /** The label, where only text can stand. */
  readonly name: string;
  readonly hint?: ReactNode;
  readonly input: Input;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly problem?: string | undefined;
}

/** One value of any type but an object. */
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
        value={textOf(value)}
        onChange={(text) => onChange(text === '' ? undefined : text)}
        {...(input.shapes !== undefined && { shapes: input.shapes })}
      />
    );
  }
  if (input.type === 'choice') return <Choices {...{ control, value, onChange }} choices={input.choices} />;
  if (input.type === 'boolean') return <Choices {...{ control, value, onChange }} choices={[true, false]} />;
  if (input.type === 'number') return <NumberBox {...{ control, value, onChange }} />;
  if (input.type === 'text') return <TextBox {...{ control, value, onChange }} />;
  return <JsonBox {...{ control, value, onChange }} />;
}

type BoxProps = Omit<OneInputProps, 'input'>;

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === undefined || value === null ? '' : JSON.stringify(value);

/** A text of several lines, or a long one, has room for them. */
const LONG = 80;

function TextBox({ control, value, onChange }: BoxProps) {
  const text = textOf(value);
  return (
    <textarea
      {...control}
      rows={text.length > LONG || text.includes('\n') ? 4 : 1}
      className="text-box"
      value={text}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
    />
  );
}

function NumberBox({ control, value, onChange }: BoxProps) {
  // What is typed on the way to a number, such as `-` or `1.`, must stay as it is.
  const [typed, setTyped] = useState<string>();
  const shown = typed !== undefined && numberOf(typed) === value ? typed : textOf(value);
  return (
    <input
      {...control}
      inputMode="decimal"
      autoComplete="off"
      value={shown}
      onChange={({ target }) => {
        setTyped(target.value);
        onChange(numberOf(target.value));
      }}
    />
  );
}

const WORDS: Readonly<Record<string, string>> = { true: 'yes', false: 'no' };

function Choices({ control, value, onChange, choices }: BoxProps & { readonly choices: readonly Choice[] }) {
  const index = choices.indexOf(value as Choice);
  return (
    <select {...control} value={index} onChange={({ target }) => onChange(choices[Number(target.value)])}>
      <option value={-1}>{value === undefined || index >= 0 ? 'Not said' : `Not one of them: ${textOf(value)}`}</option>
      {choices.map((choice, place) => (
        <option key={String(choice)} value={place}>
          {typeof choice === 'boolean' ? WORDS[String(choice)] : String(choice)}
        </option>
      ))}
    </select>
  );
}

const NOT_JSON = 'This is not JSON yet: text needs quotation marks, and names too.';

/** Anything that JSON can say. What is not JSON yet is kept as text, said to be so, and keeps the form from being sent. */
function JsonBox({ control, value, onChange }: BoxProps) {
  const [text, setText] = useState(() => (value === undefined ? '' : JSON.stringify(value, undefined, 2)));
  const [isJson, setIsJson] = useState(true);
  const read = (next: string) => {
    setText(next);
    if (next.trim() === '') {
      setIsJson(true);
      onChange(undefined);
      return;
    }
    try {
      onChange(JSON.parse(next));
      setIsJson(true);
    } catch {
      setIsJson(false);
    }
  };
  return (
    <>
      <textarea
        {...control}
        ref={(box) => box?.setCustomValidity(isJson ? '' : NOT_JSON)}
        className="json"
        rows={4}
        spellCheck={false}
        value={text}
        onChange={(event) => read(event.target.value)}
      />
      {!isJson && (
        <p className="problem" role="alert">
          {NOT_JSON}
        </p>
      )}
    </>
  );
}
