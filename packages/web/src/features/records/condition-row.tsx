import type { WhereOp } from '@cairn/sdk';
import { useId } from 'react';
import type { Sight } from '../../app/sight.ts';
import { type DeclaredField, type FieldType, opsOf } from '../shape/declared-field.ts';
import { RecordBox } from './record-box.tsx';
import { type Condition, OP_WORDS, OPS } from './where.ts';

interface ConditionRowProps {
  readonly number: number;
  readonly sight: Sight;
  readonly fields: readonly DeclaredField[];
  readonly condition: Condition;
  readonly onChange: (condition: Condition) => void;
  readonly onRemove: () => void;
}

/** One condition: a field, what is asked of it, and what it is compared with. */
export function ConditionRow({ number, sight, fields, condition, onChange, onRemove }: ConditionRowProps) {
  const { path, op } = condition;
  const field = fields.find((one) => one.path === path);
  const ops: readonly WhereOp[] = field === undefined ? OPS : opsOf(field.type);
  const choosePath = (next: string) => {
    const type: FieldType = fields.find((one) => one.path === next)?.type ?? 'json';
    const kept = opsOf(type).includes(op) ? op : (opsOf(type)[0] ?? 'exists');
    onChange({ path: next, op: kept, value: '' });
  };
  return (
    <div className="condition">
      <select
        aria-label={`Field of condition ${number}`}
        value={path}
        onChange={({ target }) => choosePath(target.value)}
      >
        {field === undefined && <option>{path}</option>}
        {fields.map((one) => (
          <option key={one.path}>{one.path}</option>
        ))}
      </select>
      <select
        aria-label={`Comparison of condition ${number}`}
        value={op}
        onChange={({ target }) => onChange({ ...condition, op: OPS.find((one) => one === target.value) ?? op })}
      >
        {!ops.includes(op) && <option value={op}>{OP_WORDS[op]}</option>}
        {ops.map((one) => (
          <option key={one} value={one}>
            {OP_WORDS[one]}
          </option>
        ))}
      </select>
      <Value number={number} sight={sight} field={field} condition={condition} onChange={onChange} />
      <button type="button" className="small" aria-label={`Remove condition ${number}`} onClick={onRemove}>
        Remove
      </button>
    </div>
  );
}

interface ValueProps extends Pick<ConditionRowProps, 'number' | 'sight' | 'condition' | 'onChange'> {
  readonly field: DeclaredField | undefined;
}

function Value({ number, sight, field, condition, onChange }: ValueProps) {
  const id = useId();
  const { op, value } = condition;
  const label = `Value of condition ${number}`;
  const choices = choicesOf(field, op);
  const set = (next: string) => onChange({ ...condition, value: next });
  if (field?.type === 'wref' && choices === undefined) {
    return (
      <>
        <label className="hidden" htmlFor={id}>
          {label}
        </label>
        <RecordBox
          id={id}
          sight={sight}
          shapes={field.refersTo}
          value={value}
          onChange={set}
          isList={op === 'in'}
          hasRetracted
        />
      </>
    );
  }
  if (choices === undefined) {
    return (
      <input
        aria-label={label}
        value={value}
        placeholder={op === 'in' ? 'one,another' : undefined}
        inputMode={field?.type === 'number' && op !== 'in' ? 'decimal' : undefined}
        onChange={({ target }) => set(target.value)}
      />
    );
  }
  return (
    <select
      aria-label={label}
      value={value || (op === 'exists' ? 'true' : '')}
      onChange={({ target }) => set(target.value)}
    >
      {op !== 'exists' && !choices.includes(value) && <option value={value}>{value || 'Choose'}</option>}
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {op === 'exists' ? (choice === 'true' ? 'yes' : 'no') : choice}
        </option>
      ))}
    </select>
  );
}

/** Where only some values make sense. */
function choicesOf(field: DeclaredField | undefined, op: WhereOp): readonly string[] | undefined {
  if (op === 'exists') return ['true', 'false'];
  if (op !== 'eq' && op !== 'ne') return undefined;
  if (field?.choices !== undefined) return field.choices.map(String);
  return field?.type === 'boolean' ? ['true', 'false'] : undefined;
}
