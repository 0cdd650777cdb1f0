import { type NamedKind, proposedName } from '@cairn/model/name-proposal';
import { type FormEvent, type MouseEvent, type ReactNode, useId, useState } from 'react';
import { SmallButton } from './button.tsx';
import { useTold } from './page.tsx';
import { Text } from './text.tsx';

export interface Control {
  readonly id: string;
  readonly 'aria-describedby'?: string;
  readonly 'aria-invalid'?: true;
}

interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly problem?: string | undefined;
  readonly remedy?: ReactNode;
  readonly children: (control: Control) => ReactNode;
}

export function Field({ label, hint, problem, remedy, children }: FieldProps) {
  const id = useId();
  const told = [hint !== undefined && `${id}-hint`, problem !== undefined && `${id}-problem`].filter(
    (one) => one !== false,
  );
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        ...(told.length > 0 && { 'aria-describedby': told.join(' ') }),
        ...(problem !== undefined && { 'aria-invalid': true }),
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="quiet hint">
          {hint}
        </p>
      )}
      {problem !== undefined && (
        <p id={`${id}-problem`} className="problem">
          <Text most={1_000}>{problem}</Text>
        </p>
      )}
      {problem !== undefined && remedy}
    </div>
  );
}

interface TextFieldProps extends Omit<FieldProps, 'children'> {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly isLong?: boolean;
  readonly type?: 'text' | 'email' | 'url' | 'password' | 'number' | 'search';
  readonly isRequired?: boolean;
  readonly placeholder?: string;
  readonly autoComplete?: string;
  readonly suggestions?: readonly string[];
}

export function TextField(props: TextFieldProps) {
  const {
    value,
    onChange,
    isLong = false,
    type = 'text',
    isRequired = false,
    placeholder,
    autoComplete = 'off',
    suggestions = [],
  } = props;
  const { label, hint, remedy } = props;
  // Browsers accept blanks as a value.
  const isBlank = isRequired && type !== 'password' && value !== '' && value.trim() === '';
  const problem = props.problem ?? (isBlank ? 'This field contains only spaces. Enter some text.' : undefined);
  const { change, ...marking } = useMarking(value, onChange);
  return (
    <Field label={label} hint={hint} problem={problem} remedy={remedy}>
      {(control) => {
        const told = { ...control, ...marking, placeholder, autoComplete };
        const shared = { ...told, value, required: isRequired, spellCheck: isLong };
        return isLong ? (
          <textarea {...shared} rows={4} onChange={({ target }) => change(target.value)} />
        ) : (
          <>
            <input
              {...shared}
              type={type}
              onChange={({ target }) => change(target.value)}
              {...(suggestions.length > 0 && { list: `${control.id}-suggestions` })}
            />
            {suggestions.length > 0 && (
              <datalist id={`${control.id}-suggestions`}>
                {suggestions.map((suggestion) => (
                  <option key={suggestion} value={suggestion} />
                ))}
              </datalist>
            )}
          </>
        );
      }}
    </Field>
  );
}

function useMarking(value: string, onChange: (value: string) => void) {
  const [isLeftEmpty, setLeftEmpty] = useState(false);
  if (isLeftEmpty && value !== '') setLeftEmpty(false);
  const change = (text: string) => {
    setLeftEmpty(text === '');
    onChange(text);
  };
  const isUnmarked = value === '' && !isLeftEmpty;
  return { change, onInvalid: () => setLeftEmpty(value === ''), ...(isUnmarked && { 'data-unmarked': true }) };
}

interface Option<Value extends string> {
  readonly value: Value;
  readonly label?: string;
}

interface ChoiceFieldProps<Value extends string> extends Omit<FieldProps, 'children'> {
  readonly value: Value;
  readonly options: readonly Option<Value>[];
  readonly onChange: (value: Value) => void;
}

export function ChoiceField<Value extends string>(props: ChoiceFieldProps<Value>) {
  const { value, options, onChange, label, hint, problem } = props;
  const choose = (chosen: string) => {
    const option = options.find((one) => one.value === chosen);
    if (option !== undefined) onChange(option.value);
  };
  return (
    <Field label={label} hint={hint} problem={problem}>
      {(control) => (
        <select {...control} value={value} onChange={({ target }) => choose(target.value)}>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label ?? option.value}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface TickFieldProps {
  readonly label: ReactNode;
  readonly isTicked: boolean;
  readonly onChange: (isTicked: boolean) => void;
  readonly hint?: ReactNode;
}

export function TickField({ label, isTicked, onChange, hint }: TickFieldProps) {
  const id = useId();
  return (
    <div className="field field-tick">
      <label>
        <input
          type="checkbox"
          checked={isTicked}
          onChange={({ target }) => onChange(target.checked)}
          {...(hint !== undefined && { 'aria-describedby': `${id}-hint` })}
        />
        <span>{label}</span>
      </label>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="quiet hint">
          {hint}
        </p>
      )}
    </div>
  );
}

interface NameFieldProps extends Omit<TextFieldProps, 'remedy' | 'isLong' | 'type'> {
  readonly of: NamedKind;
  readonly isOptional?: boolean;
}

export function NameField({ of, isOptional = false, problem, ...field }: NameFieldProps) {
  const { value, onChange } = field;
  const told = useTold(problem, value);
  const isBlank = value !== '' && value.trim() === '';
  const proposed = proposedName(of, value);
  const take = ({ currentTarget }: MouseEvent) => {
    if (proposed !== undefined) onChange(proposed);
    currentTarget.closest('.field')?.querySelector('input')?.focus();
  };
  return (
    <TextField
      {...field}
      problem={
        isBlank ? `The name contains only spaces. Enter a name${isOptional ? ', or clear the field' : ''}.` : told
      }
      remedy={
        proposed !== undefined && (
          <p>
            <SmallButton onClick={take}>Use {proposed}</SmallButton>
          </p>
        )
      }
    />
  );
}

interface NumberFormProps {
  readonly className: string;
  readonly label: string;
  readonly most?: number;
  readonly onGo: (number: number) => void;
}

export function NumberForm({ className, label, most, onGo }: NumberFormProps) {
  const id = useId();
  const go = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onGo(Number(new FormData(event.currentTarget).get('number')));
  };
  return (
    <form className={className} onSubmit={go}>
      <label htmlFor={id}>{label}</label>
      <input id={id} name="number" type="number" min={1} max={most} step={1} required inputMode="numeric" />
      <button type="submit" className="small">
        Go
      </button>
    </form>
  );
}
