import { type KeyboardEvent, useId, useState } from 'react';
import { SmallButton } from './button.tsx';
import { Field } from './field.tsx';
import { Text } from './text.tsx';
import { plain } from './unseen.ts';

interface ListFieldProps {
  readonly label: string;
  readonly hint?: string;
  readonly problem?: string | undefined;
  readonly values: readonly string[];
  readonly onChange: (values: readonly string[]) => void;
  readonly suggestions?: readonly string[] | undefined;
  readonly placeholder?: string;
}

/** Pending text counts as a value and stays in the input: if the page moved on blur, the click would miss. */
export function ListField(props: ListFieldProps) {
  const { label, hint, problem, values, onChange, suggestions = [], placeholder } = props;
  const [typed, setTyped] = useState('');
  const [pending, setPending] = useState<string>();
  const id = useId();
  const added = values.filter((value) => value !== pending);
  const shown = pending === undefined || values.includes(pending) ? typed : '';
  const type = (text: string) => {
    const value = text.trim();
    const next = value === '' || added.includes(value) ? undefined : value;
    setTyped(text);
    setPending(next);
    if (next !== pending) onChange(next === undefined ? added : [...added, next]);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter') return;
    // Enter would submit the form.
    event.preventDefault();
    setTyped('');
    setPending(undefined);
  };
  return (
    <div className="list-field">
      <Field label={label} hint={hint} problem={problem}>
        {(control) => (
          <input
            {...control}
            value={shown}
            placeholder={placeholder}
            autoComplete="off"
            spellCheck={false}
            list={suggestions.length > 0 ? id : undefined}
            onChange={({ target }) => type(target.value)}
            onKeyDown={onKeyDown}
          />
        )}
      </Field>
      {suggestions.length > 0 && (
        <datalist id={id}>
          {suggestions.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
      {added.length > 0 && (
        <ul className="chosen" aria-label={label}>
          {added.map((value) => (
            <li key={value}>
              <Text>{value}</Text>
              <SmallButton
                aria-label={`Remove ${plain(value, 200)}`}
                onClick={() => onChange(values.filter((one) => one !== value))}
              >
                ×
              </SmallButton>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
