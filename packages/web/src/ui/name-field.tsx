import { type NamedKind, proposedName } from '@cairn/protocol/name-proposal';
import type { MouseEvent } from 'react';
import { TextField, type TextFieldProps } from './field.tsx';
import { useTold } from './use-told.ts';

interface NameFieldProps extends Omit<TextFieldProps, 'remedy' | 'isLong' | 'type'> {
  /** What is named. */
  readonly of: NamedKind;
  /** Whether none need be given. */
  readonly isOptional?: boolean;
}

/** A name. Where it was refused, one that would be taken is offered; what was said against it is not said of another. */
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
      problem={isBlank ? `Only blanks stand here. Write a name${isOptional ? ', or remove them' : ''}.` : told}
      remedy={
        proposed !== undefined && (
          <p>
            <button type="button" className="small" onClick={take}>
              Call it {proposed}
            </button>
          </p>
        )
      }
    />
  );
}
