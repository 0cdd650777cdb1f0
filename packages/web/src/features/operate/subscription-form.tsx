import { ORGANIZATION_EVENTS, REPOSITORY_EVENTS, type SubscriptionEvent } from '@cairn/protocol/vocabulary';
import type { Subscription, SubscriptionFilter } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { description } from '../../app/queries.ts';
import type { Home, Sight } from '../../app/sight.ts';
import { ActionForm, type FormState } from '../../ui/action-form.tsx';
import { SmallButton } from '../../ui/button.tsx';
import { ChoiceField, NameField, TextField, TickField } from '../../ui/field.tsx';
import { FilterBuilder, FilterPreview } from './filter-builder.tsx';
import { draftOf, filterOf, parsedFilter, sourceProblem } from './subscription.ts';

export interface SubscriptionDraft {
  readonly name: string;
  readonly subject: SubscriptionEvent | 'filter';
  readonly filter: FilterForm;
  readonly webhookUrl: string;
  readonly fallbackWebhookUrl: string;
  readonly source: string;
  readonly allowTraceReentry: boolean;
}

const EVENT_WORDS: Readonly<Record<SubscriptionEvent, string>> = {
  'thing.renamed': 'A record is renamed (thing.renamed)',
  'shape.renamed': 'A shape is renamed (shape.renamed)',
  'repo.created': 'A repository is created (repo.created)',
  'repo.renamed': 'A repository is renamed (repo.renamed)',
  'repo.archived': 'A repository is archived (repo.archived)',
  'repo.deleted': 'A repository is deleted (repo.deleted)',
};

const eventOptions = (events: readonly SubscriptionEvent[]) =>
  events.map((value) => ({ value, label: EVENT_WORDS[value] }));

/** Organizations have events only. */
const SUBJECTS = {
  repository: [
    { value: 'filter', label: 'Operations that match a filter' } as const,
    ...eventOptions(REPOSITORY_EVENTS),
  ],
  organization: eventOptions(ORGANIZATION_EVENTS),
};

/** Options of the forms. */
export const SUBSCRIPTION_PROBLEMS = {
  fields: () => ['/name', '/newName', '/webhookUrl', '/fallbackWebhookUrl', '/source', '/event'],
  taken: '/name',
} as const;

export function subjectOf({
  subject,
  filter,
}: SubscriptionDraft): { filter: SubscriptionFilter } | { event: SubscriptionEvent } | undefined {
  if (subject !== 'filter') return { event: subject };
  const given = formFilter(filter);
  return given && { filter: given };
}

interface SubscriptionFormProps {
  readonly home: Home;
  readonly label: string;
  readonly action: string;
  readonly doing: string;
  readonly state: FormState<SubscriptionDraft>;
  readonly lacks?: string | undefined;
  readonly present?: Subscription | undefined;
  readonly addressProblem?: string | undefined;
  readonly children?: ReactNode;
  readonly beside?: ReactNode;
}

export function SubscriptionForm(props: SubscriptionFormProps) {
  const { home, label, action, doing, state, present, addressProblem } = props;
  const { values: draft, field, problemAt, form } = state;
  const { orgName, repoName } = home;
  return (
    <ActionForm
      label={label}
      action={action}
      doing={doing}
      {...form}
      isReady={
        subjectOf(draft) !== undefined && sourceProblem(draft.source) === undefined && addressProblem === undefined
      }
      lacks={props.lacks}
      beside={props.beside}
    >
      <NameField
        of="subscription"
        label="Name"
        hint="Letters, digits, ., _ and -."
        isRequired
        {...field('name')}
        problem={problemAt('/name') ?? problemAt('/newName')}
      />
      <Targets state={state} present={present} addressProblem={addressProblem} />
      {props.children}
      <ChoiceField
        label="Trigger"
        options={repoName === null ? SUBJECTS.organization : SUBJECTS.repository}
        {...field('subject')}
        problem={problemAt('/event')}
      />
      {draft.subject === 'filter' && repoName !== null && <TriedFilter sight={{ orgName, repoName }} state={state} />}
      <Further state={state} hasSource={present === undefined && repoName !== null} />
    </ActionForm>
  );
}

function TriedFilter({ sight, state: { values: draft, set } }: PartProps & { sight: Sight }) {
  const shapes = useQuery(description(sight)).data?.shapes.map(({ name }) => name) ?? [];
  const given = formFilter(draft.filter);
  return (
    <div className="tried-filter">
      <FilterField form={draft.filter} onChange={(filter) => set({ filter })} shapes={shapes} />
      {given !== undefined && sourceProblem(draft.source) === undefined && (
        <FilterPreview sight={sight} filter={given} source={draft.source} />
      )}
    </div>
  );
}

type PartProps = Pick<SubscriptionFormProps, 'state'>;
type TargetsProps = PartProps & Pick<SubscriptionFormProps, 'present' | 'addressProblem'>;

/** Existing addresses may be secret, so only origins are shown. */
const Targets = ({ state: { field, problemAt }, present, addressProblem }: TargetsProps) => (
  <>
    <TextField
      label="Webhook URL"
      hint={
        present !== undefined
          ? `Currently at ${present.webhookOrigin}. Leave empty to keep it. For another origin, set the keys of its credential set again.`
          : 'Must use https and a public address. The path can be secret: it is shown as ***.'
      }
      type="url"
      isRequired={present === undefined}
      placeholder="https://hooks.example.com/cairn"
      {...field('webhookUrl')}
      problem={addressProblem ?? problemAt('/webhookUrl')}
    />
    <TextField
      label="Fallback URL"
      hint={
        present !== undefined
          ? `Currently ${present.fallbackWebhookOrigin ?? 'none'}. Leave empty to keep it.`
          : 'Optional. Gets one delivery for each run that failed permanently.'
      }
      type="url"
      {...field('fallbackWebhookUrl')}
    />
  </>
);

const Further = ({
  state: { values: draft, set, field, problemAt },
  hasSource,
}: PartProps & { hasSource: boolean }) => (
  <details>
    <summary>More</summary>
    {hasSource && (
      <TextField
        label="Source repository"
        hint="Another repository of the same organization, as org/repo. You need read access to all of it."
        {...field('source')}
        problem={sourceProblem(draft.source) ?? problemAt('/source')}
      />
    )}
    <TickField
      label="Include commits caused by its own deliveries"
      hint="Otherwise writes by the receiver to this repository trigger no deliveries, which prevents endless loops."
      isTicked={draft.allowTraceReentry}
      onChange={(allowTraceReentry) => set({ allowTraceReentry })}
    />
  </details>
);

type FilterForm =
  | { readonly way: 'parts'; readonly filter: SubscriptionFilter }
  | { readonly way: 'json'; readonly text: string };

const formFilter = (form: FilterForm): SubscriptionFilter | undefined =>
  form.way === 'parts' ? form.filter : parsedFilter(form.text);

interface FilterFieldProps {
  readonly form: FilterForm;
  readonly onChange: (form: FilterForm) => void;
  readonly shapes: readonly string[];
}

const FilterField = ({ form, onChange, shapes }: FilterFieldProps) => (
  <div className="filter-field">
    {form.way === 'parts' ? (
      <Parts filter={form.filter} shapes={shapes} onChange={(filter) => onChange({ way: 'parts', filter })} />
    ) : (
      <TextField
        label="Filter as JSON"
        isLong
        value={form.text}
        onChange={(text) => onChange({ way: 'json', text })}
        problem={
          parsedFilter(form.text) === undefined
            ? 'This is not a filter. Enter a JSON object with operation, kind, shape, name, match, all, any or not.'
            : undefined
        }
      />
    )}
    <SmallButton disabled={formFilter(form) === undefined} onClick={() => onChange(otherWay(form))}>
      {form.way === 'parts' ? 'Edit as JSON' : 'Edit as form'}
    </SmallButton>
  </div>
);

function otherWay(form: FilterForm): FilterForm {
  if (form.way === 'parts') return { way: 'json', text: JSON.stringify(form.filter, null, 2) };
  return { way: 'parts', filter: parsedFilter(form.text) ?? {} };
}

interface PartsProps {
  readonly filter: SubscriptionFilter;
  readonly shapes: readonly string[];
  readonly onChange: (filter: SubscriptionFilter) => void;
}

/** Keeps empty lists, which the filter omits. */
function Parts({ filter, shapes, onChange }: PartsProps) {
  const [draft, setDraft] = useState(() => draftOf(filter));
  return (
    <FilterBuilder
      label="All of these must match"
      draft={draft}
      shapes={shapes}
      onChange={(next) => {
        setDraft(next);
        onChange(filterOf(next));
      }}
    />
  );
}
