import { pointerTo } from '@cairn/model/json-pointer';
import { useEffect, useId, useRef, useState } from 'react';
import { SmallButton } from '../../ui/button.tsx';
import { Text } from '../../ui/text.tsx';
import { DataGroup, ValueInput, type ValueInputProps } from './data-form.tsx';
import { type Input, sentPlace } from './form-field.ts';

interface ListInputProps extends ValueInputProps {
  readonly item: Input;
}

export function ListInput({ label, name, hint, item, value, onChange, problem, problems, place: own }: ListInputProps) {
  const id = useId();
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  const keys = useKeys(items.length);
  const list = useRef<HTMLOListElement>(null);
  const isAdded = useRef(false);
  useEffect(() => {
    if (!isAdded.current) return;
    isAdded.current = false;
    list.current?.lastElementChild?.querySelector<HTMLElement>('input, textarea, select')?.focus();
  });
  const change = (next: readonly unknown[]) => onChange(next.length === 0 ? undefined : next);
  const add = () => {
    isAdded.current = true;
    change([...items, beginningOf(item)]);
  };
  const put = (place: number, one: unknown) =>
    change(items.map((old, index) => (index === place ? (one ?? null) : old)));
  const take = (place: number) => {
    keys.take(place);
    change(items.filter((_, index) => index !== place));
  };
  const raise = (place: number) => {
    keys.raise(place);
    change(items.map((old, index) => (index === place - 1 ? items[place] : index === place ? items[place - 1] : old)));
  };
  return (
    <fieldset
      className={problem === undefined ? 'fields' : 'fields refused'}
      aria-describedby={problem === undefined ? undefined : `${id}-problem`}
    >
      <legend>{label}</legend>
      {hint !== undefined && <p className="quiet hint">{hint}</p>}
      <ol className="items" ref={list}>
        {items.map((one, place) => (
          <li key={keys.all[place]}>
            <Item
              number={place + 1}
              input={item}
              name={name}
              value={one}
              onChange={(next) => put(place, next)}
              problems={problems}
              place={pointerTo(own, String(sentPlace(items, place) ?? ''))}
            />
            <div className="actions">
              <SmallButton
                disabled={place === 0}
                onClick={() => raise(place)}
                aria-label={`Move up: ${name} ${place + 1}`}
              >
                Move up
              </SmallButton>
              <SmallButton onClick={() => take(place)} aria-label={`Remove ${name} ${place + 1}`}>
                Remove
              </SmallButton>
            </div>
          </li>
        ))}
      </ol>
      {problem !== undefined && (
        <p id={`${id}-problem`} className="problem">
          <Text most={1_000}>{problem}</Text>
        </p>
      )}
      <SmallButton onClick={add}>Add to {name}</SmallButton>
    </fieldset>
  );
}

interface ItemProps extends Pick<ValueInputProps, 'input' | 'name' | 'value' | 'onChange' | 'problems' | 'place'> {
  readonly number: number;
}

function Item({ number, input, name, value, ...props }: ItemProps) {
  const { onChange, problems, place } = props;
  const label = `${name} ${number}`;
  const problem = problems.byPath.get(place);
  if (input.type !== 'object') {
    return (
      <ValueInput label={label} name={label} input={input} value={value ?? undefined} problem={problem} {...props} />
    );
  }
  return (
    <DataGroup
      label={label}
      fields={input.fields}
      data={value}
      onChange={onChange}
      problems={problems}
      parent={place}
    />
  );
}

const beginningOf = (item: Input): unknown => (item.type === 'object' ? {} : item.type === 'list' ? [] : null);

/** Stable keys, so that controls keep their state when items move. */
function useKeys(length: number) {
  const keys = useRef<number[]>([]);
  const next = useRef(0);
  const [, draw] = useState(0);
  while (keys.current.length < length) {
    next.current += 1;
    keys.current.push(next.current);
  }
  keys.current.length = length;
  return {
    all: keys.current,
    take: (place: number) => {
      keys.current = keys.current.filter((_, index) => index !== place);
      draw((before) => before + 1);
    },
    raise: (place: number) => {
      const [moved = 0] = keys.current.splice(place, 1);
      keys.current.splice(place - 1, 0, moved);
      draw((before) => before + 1);
    },
  };
}
