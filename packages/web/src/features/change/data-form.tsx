// The data of a record as a form made from its shape: a control for each field, and what the server said against it beside it.
import { pointerTo } from '@cairn/protocol/json-pointer';
import type { Problems } from '../../ui/problems.ts';
import { Text } from '../../ui/text.tsx';
import { isObject } from '../shape/declaration.ts';
import { type FormField, withField } from './form-field.ts';
import { ValueInput } from './value-input.tsx';

interface DataFormProps {
  readonly fields: readonly FormField[];
  readonly data: unknown;
  readonly onChange: (data: unknown) => void;
  readonly problems: Problems;
  /** Where what the fields are of is, in what the server says. */
  readonly parent?: string;
}

export function DataForm({ fields, data, onChange, problems, parent = '' }: DataFormProps) {
  const values = isObject(data) ? data : {};
  return fields.map((field) => {
    const place = pointerTo(parent, field.name);
    const change = (value: unknown) => onChange(withField(data, field.name, value));
    const value = values[field.name];
    const problem = problems.byPath.get(place);
    if (field.input.type !== 'object') {
      return (
        <ValueInput
          key={field.name}
          label={<Label field={field} />}
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
      <fieldset key={field.name} className={problem === undefined ? 'fields' : 'fields refused'}>
        <legend>
          <Label field={field} />
        </legend>
        {problem !== undefined && (
          <p className="problem">
            <Text most={1_000}>{problem}</Text>
          </p>
        )}
        <DataForm fields={field.input.fields} data={value} onChange={change} problems={problems} parent={place} />
      </fieldset>
    );
  });
}

function Label({ field: { name, isOptional } }: { field: FormField }) {
  return (
    <>
      <Text>{name}</Text>
      {isOptional && <span className="quiet"> (optional)</span>}
    </>
  );
}

const AS_JSON = 'as JSON, such as "text", 3, ["a", "b"] or { "x": 1 }';

function hintOf({ description, constraints, input }: FormField) {
  const told = [description, ...constraints, input.type === 'json' ? AS_JSON : undefined].filter(
    (one) => one !== undefined,
  );
  return told.length === 0 ? undefined : <Text>{told.join('; ')}</Text>;
}
