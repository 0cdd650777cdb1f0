import type { DeclaredField } from '@cairn/model/declaration';
import { ORDERS, RECORD_KINDS } from '@cairn/protocol/vocabulary';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { problemOf } from '../../app/problem.ts';
import { description } from '../../app/queries.ts';
import { useSight } from '../../app/sight.ts';
import { Alert } from '../../ui/text.tsx';
import { Conditions } from './conditions.tsx';
import { useChoice } from './use-choice.ts';
import { BEST_FIRST, DEFAULT_ORDER, ORDER_WORDS } from './where.ts';

const isWide = () => window.matchMedia('(min-width: 40rem)').matches;

export function Filters({ fields, problem }: { fields: readonly DeclaredField[]; problem: unknown }) {
  const [isOpen, setOpen] = useState(isWide);
  const { search, choose } = useChoice();
  const { shape, kind, where, retracted } = search;
  const chosen = [shape, kind, retracted, ...(where ?? [])].filter((one) => one !== undefined).length;
  return (
    <details
      className="filters"
      open={isOpen || problem !== null}
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary>Filters{chosen > 0 && ` (${chosen})`}</summary>
      <div className="choices">
        <ShapeChoice />
        <FilterSelect
          label="Kind"
          value={kind ?? ''}
          onChange={(value) => choose({ kind: RECORD_KINDS.find((one) => one === value) })}
        >
          <option value="">All except shapes</option>
          {RECORD_KINDS.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </FilterSelect>
        <OrderChoice />
        <label className="check">
          <input
            type="checkbox"
            checked={retracted ?? false}
            onChange={({ target }) => choose({ retracted: target.checked || undefined })}
          />
          Include retracted
        </label>
      </div>
      {shape === undefined ? (
        <p className="quiet">To filter by fields, choose a shape.</p>
      ) : (
        <Conditions key={`${shape} ${JSON.stringify(where ?? [])}`} where={where ?? []} fields={fields} />
      )}
      {problem !== null && <Alert>{problemOf(problem).advice.replace(/^where: /, '')}</Alert>}
    </details>
  );
}

/** Conditions belong to a shape, so another shape clears them. */
function ShapeChoice() {
  const {
    search: { shape, retracted },
    choose,
  } = useChoice();
  const { data } = useQuery(description(useSight()));
  const shapes = data?.shapes ?? [];
  const isListed = shape === undefined || shapes.some(({ name }) => name === shape);
  return (
    <FilterSelect
      label="Shape"
      value={shape ?? ''}
      onChange={(value) => choose({ shape: value || undefined, where: undefined })}
    >
      <option value="">All shapes</option>
      {!isListed && <option>{shape}</option>}
      {shapes.map(({ name, count }) => (
        <option key={name} value={name}>
          {name} ({count.toLocaleString('en')}
          {retracted && ' active'})
        </option>
      ))}
    </FilterSelect>
  );
}

function OrderChoice() {
  const {
    search: { order, q },
    choose,
  } = useChoice();
  const byDefault = q === undefined ? DEFAULT_ORDER : '';
  return (
    <FilterSelect
      label="Order"
      value={order ?? byDefault}
      onChange={(value) => {
        const chosen = ORDERS.find((one) => one === value);
        choose({ order: chosen === byDefault ? undefined : chosen });
      }}
    >
      {q !== undefined && <option value="">{BEST_FIRST}</option>}
      {ORDERS.map((one) => (
        <option key={one} value={one}>
          {ORDER_WORDS[one]}
        </option>
      ))}
    </FilterSelect>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly children: ReactNode;
}

function FilterSelect({ label, value, onChange, children }: ChoiceProps) {
  const id = useId();
  return (
    <div className="choice">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ target }) => onChange(target.value)}>
        {children}
      </select>
    </div>
  );
}
