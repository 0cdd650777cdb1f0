import type { SubscriptionFilter } from '@cairn/sdk';
import { useState } from 'react';
import { TextField } from '../../ui/field.tsx';
import { FilterBuilder } from './filter-builder.tsx';
import { draftOf, filterOf, parsedFilter } from './filter-draft.ts';

/** A filter as it stands on the page: put together, or written. */
export type FilterForm =
  | { readonly way: 'parts'; readonly filter: SubscriptionFilter }
  | { readonly way: 'json'; readonly text: string };

/** `undefined` while what is written is no filter. */
export const formFilter = (form: FilterForm): SubscriptionFilter | undefined =>
  form.way === 'parts' ? form.filter : parsedFilter(form.text);

interface FilterFieldProps {
  readonly form: FilterForm;
  readonly onChange: (form: FilterForm) => void;
  readonly shapes: readonly string[];
}

export function FilterField({ form, onChange, shapes }: FilterFieldProps) {
  return (
    <div className="filter-field">
      {form.way === 'parts' ? (
        <Parts filter={form.filter} shapes={shapes} onChange={(filter) => onChange({ way: 'parts', filter })} />
      ) : (
        <TextField
          label="The filter as JSON"
          isLong
          value={form.text}
          onChange={(text) => onChange({ way: 'json', text })}
          problem={
            parsedFilter(form.text) === undefined
              ? 'A filter is a JSON object with operation, kind, shape, name, match, all, any and not.'
              : undefined
          }
        />
      )}
      <button
        type="button"
        className="small"
        disabled={formFilter(form) === undefined}
        onClick={() => onChange(otherWay(form))}
      >
        {form.way === 'parts' ? 'Write it as JSON' : 'Put it together from parts'}
      </button>
    </div>
  );
}

function otherWay(form: FilterForm): FilterForm {
  if (form.way === 'parts') return { way: 'json', text: JSON.stringify(form.filter, null, 2) };
  return { way: 'parts', filter: parsedFilter(form.text) ?? {} };
}

interface PartsProps {
  readonly filter: SubscriptionFilter;
  readonly shapes: readonly string[];
  readonly onChange: (filter: SubscriptionFilter) => void;
}

/** What is empty is kept here, and says nothing outside. */
function Parts({ filter, shapes, onChange }: PartsProps) {
  const [draft, setDraft] = useState(() => draftOf(filter));
  return (
    <FilterBuilder
      label="All of this must hold"
      draft={draft}
      shapes={shapes}
      onChange={(next) => {
        setDraft(next);
        onChange(filterOf(next));
      }}
    />
  );
}
