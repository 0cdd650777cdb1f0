// What a number or a text of a shape may be, beside a choice of values.
import type { Limit, Limits } from '../../data/shape-limit.ts';
import { TextField, TickField } from '../../parts/form/field.tsx';

interface LimitsProps {
  readonly limits: Limits;
  readonly set: (changed: Limits) => void;
}

export function NumberLimits({ limits, set }: LimitsProps) {
  return (
    <>
      <div className="limits">
        <LimitField name="minimum" label="Minimum" {...{ limits, set }} />
        <LimitField name="maximum" label="Maximum" {...{ limits, set }} />
      </div>
      <TickField
        label="Whole numbers only"
        isTicked={limits.integer === true}
        onChange={(integer) => set({ integer })}
      />
    </>
  );
}

export function TextLimits({ limits, set }: LimitsProps) {
  return (
    <>
      <div className="limits">
        <LimitField name="minLength" label="Minimum length" {...{ limits, set }} />
        <LimitField name="maxLength" label="Maximum length" {...{ limits, set }} />
      </div>
      <LimitField
        name="pattern"
        label="Pattern"
        hint="A regular expression, found anywhere in the text unless ^ and $ tie it. Left empty: any text."
        {...{ limits, set }}
      />
    </>
  );
}

interface LimitFieldProps extends LimitsProps {
  readonly name: Limit;
  readonly label: string;
  readonly hint?: string;
}

const LimitField = ({ name, label, hint, limits, set }: LimitFieldProps) => (
  <TextField label={label} hint={hint} value={limits[name] ?? ''} onChange={(text) => set({ [name]: text })} />
);
