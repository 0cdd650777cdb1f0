import { type NamedKind, proposedName } from '@cairn/protocol/name-proposal';
import { type MouseEvent, useState } from 'react';
import { TextField, type TextFieldProps } from './field.tsx';

interface NameFieldProps extends Omit<TextFieldProps, 'remedy' | 'isLong' | 'type'> {
  /** What is named. */
  readonly of: NamedKind;
  /** What stands before the name and is kept, such as the shape of a record. */
  readonly before?: string;
}

/** A name. Where it was refused, one that would be taken is offered; what was said against it is not said of another. */
export function NameField({ of, before = '', problem, ...field }: NameFieldProps) {
  const { value, onChange } = field;
  const [told, setTold] = useState({ problem, value });
  if (told.problem !== problem) setTold({ problem, value });
  const proposed = value.startsWith(before) ? proposedName(of, value.slice(before.length)) : undefined;
  const take = ({ currentTarget }: MouseEvent) => {
    onChange(`${before}${proposed}`);
    currentTarget.closest('.field')?.querySelector('input')?.focus();
  };
  return (
    <TextField
      {...field}
      problem={told.value === value ? problem : undefined}
      remedy={
        proposed !== undefined && (
          <p>
            <button type="button" className="small" onClick={take}>
              Call it {before}
              {proposed}
            </button>
          </p>
        )
      }
    />
  );
}
