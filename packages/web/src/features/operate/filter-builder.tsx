import { RECORD_KINDS } from '@cairn/protocol/vocabulary';
import type { PreviewedOperation, SubscriptionFilter } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { toCommit } from '../../app/links.ts';
import type { Sight } from '../../app/sight.ts';
import { SmallButton } from '../../ui/button.tsx';
import { ListField } from '../../ui/list-field.tsx';
import { Failure, useSettled } from '../../ui/page.tsx';
import { Section, Text } from '../../ui/text.tsx';
import { EMPTY_DRAFT, type FilterDraft, filterPreview, type Predicate } from './subscription.ts';

const OPERATIONS = ['add', 'revise', 'retract', 'rename'] as const;

const LISTS = [
  { name: 'shape', label: 'Shapes', hint: 'Matches records of any of these shapes. Press Enter to add one.' },
  {
    name: 'match',
    label: 'Names like',
    hint: '* matches within a segment, ** matches anything.',
    placeholder: 'Signal/alarm-*',
  },
  { name: 'name', label: 'Records', hint: 'Full names of records.', placeholder: 'Signal/a' },
] as const;

interface FilterBuilderProps {
  readonly draft: FilterDraft;
  readonly onChange: (draft: FilterDraft) => void;
  readonly shapes: readonly string[];
  readonly label: string;
  readonly onRemove?: (() => void) | undefined;
}

export function FilterBuilder({ draft, onChange, shapes, label, onRemove }: FilterBuilderProps) {
  const set = (name: Predicate) => (values: readonly string[]) => onChange({ ...draft, [name]: values });
  return (
    <fieldset className="fields filter">
      <legend>{label}</legend>
      <Ticks label="Operations" choices={OPERATIONS} chosen={draft.operation} onChange={set('operation')} />
      <Ticks label="On" choices={RECORD_KINDS} chosen={draft.kind} onChange={set('kind')} />
      {LISTS.map(({ name, ...field }) => (
        <ListField
          key={name}
          {...field}
          values={draft[name]}
          onChange={set(name)}
          suggestions={name === 'shape' ? shapes : []}
        />
      ))}
      <Nested draft={draft} onChange={onChange} shapes={shapes} />
      {onRemove !== undefined && <SmallButton onClick={onRemove}>Remove “{label}”</SmallButton>}
    </fieldset>
  );
}

interface TicksProps {
  readonly label: string;
  readonly choices: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

function Ticks({ label, choices, chosen, onChange }: TicksProps) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset within a fieldset would be one more frame.
    <div className="ticks" role="group" aria-labelledby={id}>
      <span id={id}>
        {label} {chosen.length === 0 && <span className="quiet">any</span>}
      </span>
      {choices.map((choice) => (
        <label key={choice}>
          <input
            type="checkbox"
            checked={chosen.includes(choice)}
            onChange={({ target }) =>
              onChange(choices.filter((one) => (one === choice ? target.checked : chosen.includes(one))))
            }
          />
          {choice}
        </label>
      ))}
    </div>
  );
}

function Nested({ draft, onChange, shapes }: Pick<FilterBuilderProps, 'draft' | 'onChange' | 'shapes'>) {
  const { not } = draft;
  return (
    <>
      <Several name="all" label="All of" draft={draft} onChange={onChange} shapes={shapes} />
      <Several name="any" label="At least one of" draft={draft} onChange={onChange} shapes={shapes} />
      {not !== undefined && (
        <FilterBuilder
          label="Not"
          draft={not}
          shapes={shapes}
          onChange={(next) => onChange({ ...draft, not: next })}
          onRemove={() => onChange({ ...draft, not: undefined })}
        />
      )}
      <div className="actions">
        <AddButton onAdd={() => onChange({ ...draft, any: [...draft.any, EMPTY_DRAFT] })}>at least one of</AddButton>
        <AddButton onAdd={() => onChange({ ...draft, all: [...draft.all, EMPTY_DRAFT] })}>all of</AddButton>
        {not === undefined && <AddButton onAdd={() => onChange({ ...draft, not: EMPTY_DRAFT })}>not</AddButton>}
      </div>
    </>
  );
}

const AddButton = ({ onAdd, children }: { onAdd: () => void; children: string }) => (
  <SmallButton onClick={onAdd}>Add “{children}”</SmallButton>
);

interface SeveralProps extends Pick<FilterBuilderProps, 'draft' | 'onChange' | 'shapes'> {
  readonly name: 'all' | 'any';
  readonly label: string;
}

function Several({ name, label, draft, onChange, shapes }: SeveralProps) {
  const parts = draft[name];
  const set = (next: readonly FilterDraft[]) => onChange({ ...draft, [name]: next });
  return parts.map((part, at) => (
    <FilterBuilder
      // biome-ignore lint/suspicious/noArrayIndexKey: a part has nothing but its place.
      key={at}
      label={`${label}, ${at + 1}`}
      draft={part}
      shapes={shapes}
      onChange={(next) => set(parts.map((one, place) => (place === at ? next : one)))}
      onRemove={() => set(parts.filter((_, place) => place !== at))}
    />
  ));
}

interface FilterPreviewProps {
  readonly sight: Sight;
  readonly filter: SubscriptionFilter;
  readonly source: string;
}

export function FilterPreview({ sight, filter, source }: FilterPreviewProps) {
  const tried = useSettled(JSON.stringify({ filter, source }));
  const { filter: asked, source: of } = JSON.parse(tried) as Pick<FilterPreviewProps, 'filter' | 'source'>;
  const preview = useQuery({ ...filterPreview(sight, { filter: asked, source: of }), retry: false });
  return (
    <Section id="preview" title="Preview" className="preview">
      <p role="status">{preview.isError ? '' : previewStatus(preview.data?.items)}</p>
      <Failure error={preview.error} />
      {!preview.isError && preview.data !== undefined && preview.data.items.length > 0 && (
        <Operations sight={sight} source={of} operations={preview.data.items} />
      )}
    </Section>
  );
}

function previewStatus(items: readonly PreviewedOperation[] | undefined): string {
  if (items === undefined) return 'Testing the filter on the latest operations…';
  if (items.length === 0) return 'There are no operations yet to test the filter on.';
  const matching = items.filter(({ matches }) => matches).length;
  const all = items.length === 1 ? 'the only operation' : `the latest ${items.length} operations`;
  return `${matching} of ${all} ${matching === 1 ? 'matches' : 'match'}.`;
}

interface OperationsProps {
  readonly sight: Sight;
  readonly source: string;
  readonly operations: readonly PreviewedOperation[];
}

function Operations({ sight, source, operations }: OperationsProps) {
  const [orgName = '', repoName = ''] = source === '' ? [sight.orgName, sight.repoName] : source.split('/');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <ol className="previewed" tabIndex={0} aria-label="Latest operations, newest first">
      {operations.map(({ repoSeq, opIndex, operation, kind, name, from, matches }) => (
        <li key={`${repoSeq} ${opIndex}`} className={matches ? 'matching' : undefined}>
          <span className="mark">{matches ? 'matches' : ''}</span>
          <span className="sequence">
            <Link {...toCommit({ orgName, repoName }, repoSeq)}>{repoSeq.toLocaleString('en')}</Link>
          </span>
          <span className={`done ${operation}`}>{operation}</span>
          <span className="name">
            {from !== undefined && (
              <>
                <Text>{from}</Text> →{' '}
              </>
            )}
            <Text>{name}</Text> <span className="quiet">{kind}</span>
          </span>
        </li>
      ))}
    </ol>
  );
}
