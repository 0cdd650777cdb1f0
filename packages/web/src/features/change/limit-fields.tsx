// What a number or a text of a shape may be, beside a choice of values.

import { TextField, TickField } from '../../ui/field.tsx';
import { useTold } from '../../ui/use-told.ts';
import type { Limit, Limits } from '../shape/shape-limit.ts';

interface LimitsProps {
  readonly limits: Limits;
  /** What can be said against one of them at once, and what the server said. */
  readonly wrong: (name: Limit) => string | undefined;
  readonly refused: (name: Limit) => string | undefined;
  readonly set: (changed: Limits) => void;
}

export function NumberLimits(props: LimitsProps) {
  const { limits, set } = props;
  return (
    <>
      <div className="beside">
        <LimitField name="minimum" label="Minimum" {...props} />
        <LimitField name="maximum" label="Maximum" {...props} />
      </div>
      <TickField
        label="Whole numbers only"
        isTicked={limits.integer === true}
        onChange={(integer) => set({ integer })}
      />
    </>
  );
}

export function TextLimits(props: LimitsProps) {
  return (
    <>
      <div className="beside">
        <LimitField name="minLength" label="Minimum length" {...props} />
        <LimitField name="maxLength" label="Maximum length" {...props} />
      </div>
      <LimitField
        name="pattern"
        label="Pattern"
        hint="A regular expression, found anywhere in the text unless ^ and $ tie it. Left empty: any text."
        {...props}
      />
    </>
  );
}

interface LimitFieldProps extends LimitsProps {
  readonly name: Limit;
  readonly label: string;
  readonly hint?: string;
}

function LimitField({ name, label, hint, limits, wrong, refused, set }: LimitFieldProps) {
  const value = limits[name] ?? '';
  const told = useTold(refused(name), value);
  return (
    <TextField
      label={label}
      hint={hint}
      value={value}
      onChange={(text) => set({ [name]: text })}
      problem={wrong(name) ?? told}
    />
  );
}
