// A filter of a subscription as it is put together on a page, where each predicate is a list that may be empty.
import type { Subscription, SubscriptionFilter } from '@cairn/sdk';

export const PREDICATES = ['operation', 'kind', 'shape', 'name', 'match'] as const;
export type Predicate = (typeof PREDICATES)[number];

export interface FilterDraft extends Readonly<Record<Predicate, readonly string[]>> {
  /** Filters of which all, or at least one, must hold. */
  readonly all: readonly FilterDraft[];
  readonly any: readonly FilterDraft[];
  readonly not: FilterDraft | undefined;
}

export const EMPTY_DRAFT: FilterDraft = {
  operation: [],
  kind: [],
  shape: [],
  name: [],
  match: [],
  all: [],
  any: [],
  not: undefined,
};

export function draftOf(filter: SubscriptionFilter): FilterDraft {
  const { all = [], any = [], not } = filter;
  const said = Object.fromEntries(PREDICATES.map((name) => [name, listOf(filter[name])]));
  return {
    ...EMPTY_DRAFT,
    ...said,
    all: all.map(draftOf),
    any: any.map(draftOf),
    not: not === undefined ? undefined : draftOf(not),
  };
}

/** What is empty says nothing. Whether the rest makes sense is the server's to say. */
export function filterOf({ all, any, not, ...draft }: FilterDraft): SubscriptionFilter {
  const said = PREDICATES.flatMap((name) => (draft[name].length === 0 ? [] : [[name, oneOrMore(draft[name])]]));
  return {
    ...(Object.fromEntries(said) as SubscriptionFilter),
    ...(all.length > 0 && { all: all.map(filterOf) }),
    ...(any.length > 0 && { any: any.map(filterOf) }),
    ...(not !== undefined && { not: filterOf(not) }),
  };
}

const oneOrMore = (values: readonly string[]) => (values.length === 1 ? values[0] : values);

function listOf(choices: string | readonly string[] | undefined): readonly string[] {
  if (choices === undefined) return [];
  return typeof choices === 'string' ? [choices] : choices;
}

/** In a sentence: `add or revise, of shape Signal, not (named Signal/b)`. */
export function filterText(filter: SubscriptionFilter): string {
  const draft = draftOf(filter);
  const { operation, kind, shape, name, match, all, any, not } = draft;
  const parts = [
    operation.join(' or '),
    kind.length > 0 && `on ${kind.map((one) => `${one}s`).join(' or ')}`,
    shape.length > 0 && `of shape ${shape.join(' or ')}`,
    name.length > 0 && `named ${name.join(' or ')}`,
    match.length > 0 && `with names like ${match.join(' or ')}`,
    ...all.map((part) => `(${filterText(filterOf(part))})`),
    any.length > 0 && any.map((part) => `(${filterText(filterOf(part))})`).join(' or '),
    not !== undefined && `not (${filterText(filterOf(not))})`,
  ].filter((part) => part !== false && part !== '');
  return parts.length === 0 ? 'every operation' : parts.join(', ');
}

/** What a subscription is for, in a line. */
export function subjectText({ filter, event, source }: Pick<Subscription, 'filter' | 'event' | 'source'>): string {
  const subject = event ?? operationsText(filter ?? {});
  return source === undefined ? subject : `${subject}, in ${source}`;
}

const operationsText = (filter: SubscriptionFilter): string =>
  filter.operation === undefined && Object.keys(filter).length > 0
    ? `operations ${filterText(filter)}`
    : filterText(filter);

/** Text that somebody wrote as a filter; `undefined` where it is none. */
export function parsedFilter(text: string): SubscriptionFilter | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFilter(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isFilter(value: unknown): value is SubscriptionFilter {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([name, said]) => {
    if (name === 'all' || name === 'any') return Array.isArray(said) && said.every(isFilter);
    if (name === 'not') return isFilter(said);
    return PREDICATES.some((one) => one === name) && [said].flat().every((one) => typeof one === 'string');
  });
}
