import type { DeclaredField } from '@cairn/model/declaration';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { description, OPTIONAL, readAt } from '../../app/queries.ts';
import type { RecordsSearch } from '../../app/search.ts';
import { client } from '../../app/session.ts';
import { type Sight, useSight, whenText } from '../../app/sight.ts';
import { Button, SecondaryButton, SmallButton } from '../../ui/button.tsx';
import { CommandNote, Text } from '../../ui/text.tsx';
import { RecordLink } from '../record/record-link.tsx';
import { foundRecords, isBareName, meantBy } from './found-records.ts';
import { sampleLine } from './sample-line.ts';
import { ALL, isNarrowed, useChoice, useGoToNow } from './use-choice.ts';
import {
  beginningsOf,
  hasOperator,
  looseningsOf,
  type NamedInCondition,
  namedIn,
  singlesOf,
  withName,
} from './where.ts';

interface NoRecordsProps {
  readonly fields: readonly DeclaredField[];
  readonly retracted: number;
}

export function NoRecords(props: NoRecordsProps) {
  const { at } = useSight();
  const { search } = useChoice();
  return (
    <section className="empty" aria-label="Results">
      {isNarrowed(search) ? (
        <NothingFits {...props} />
      ) : at === undefined ? (
        <NothingYet />
      ) : (
        <>
          <p>There were no records at sequence {at.toLocaleString('en')}.</p>
          <BackToNow at={at} />
        </>
      )}
    </section>
  );
}

function NothingYet() {
  const sight = useSight();
  const { data } = useQuery(description(sight));
  if (data === undefined) return null;
  const sample = sampleLine(data.shapes);
  return (
    <>
      <p>There are no records yet. To write the first one{sample === undefined && ' and its shape'}, run:</p>
      <pre>
        <code>{commandOf(sight, sample === undefined ? WITH_SHAPE : [sample])}</code>
      </pre>
      <p>
        <CommandNote /> For more, see <a href="/docs/writing">Writing</a>. New records appear here automatically.
      </p>
    </>
  );
}

const WITH_SHAPE = [
  '{ "kind": "shape", "name": "Location", "data": { "fields": { "x": "number" } } }',
  '{ "name": "Location/cave", "data": { "x": 3 } }',
];

const commandOf = ({ orgName, repoName }: Sight, lines: readonly string[]) =>
  [`cairn commit submit --repo ${orgName}/${repoName} --file - <<'END'`, ...lines, 'END'].join('\n');

function NothingFits({ fields, retracted }: NoRecordsProps) {
  const { at } = useSight();
  const { search, choose } = useChoice();
  const loosenings = looseningsOf(search);
  const singles = singlesOf(search.q ?? '');
  const beginning = beginningsOf(search.q ?? '');
  const searches = [...singles, ...(beginning === undefined ? [] : [beginning])];
  return (
    <>
      <p>No records match.</p>
      <AskedNames fields={fields} />
      <AlsoRetracted count={retracted} />
      {singles.length > 0 && (
        <p>
          A record must contain all of the words
          {hasOperator(search.q ?? '') && '. AND, OR and NOT are treated as words'}.
        </p>
      )}
      {loosenings.length > 0 && <p>Remove one of the filters, or all of them:</p>}
      <p className="choices">
        {loosenings.map(({ what, change }) => (
          <SecondaryButton key={what} onClick={() => choose(change)}>
            Without <Text>{what}</Text>
          </SecondaryButton>
        ))}
        {searches.map((q) => (
          <SecondaryButton key={q} onClick={() => choose({ q })}>
            Search for <Text>{q}</Text>
          </SecondaryButton>
        ))}
        <Button onClick={() => choose(ALL)}>{clearing(search)}</Button>
        {at !== undefined && <BackToNow at={at} />}
      </p>
    </>
  );
}

function clearing({ q, ...filters }: RecordsSearch): string {
  if (q === undefined) return 'Clear filters';
  return isNarrowed(filters) ? 'Clear search and filters' : 'Clear search';
}

const BackToNow = ({ at }: { at: number }) => (
  <SecondaryButton aria-label={`Go from sequence ${at} to now`} onClick={useGoToNow()}>
    View current records
  </SecondaryButton>
);

function AskedNames({ fields }: Pick<NoRecordsProps, 'fields'>) {
  const {
    search: { where = [] },
    choose,
  } = useChoice();
  const sight = useSight();
  const named = namedIn(where, fields).filter(({ name }) => !name.startsWith('wh:'));
  const full = named.filter(({ name }) => !isBareName(name));
  const { data: states } = useQuery(namedStates(sight, [...new Set(full.map(({ name }) => name))]));
  return (
    <>
      {named.map((one) => {
        const key = `${one.index} ${one.name}`;
        if (isBareName(one.name)) {
          return <BareName key={key} named={one} onMeant={(name) => choose({ where: withName(where, one, name) })} />;
        }
        const state = states?.get(one.name);
        if (state === 'missing') return <MissingName key={key} name={one.name} />;
        return state === 'retracted' ? <Retracted key={key} name={one.name} /> : null;
      })}
    </>
  );
}

function BareName({ named: { name, field }, onMeant }: { named: NamedInCondition; onMeant: (name: string) => void }) {
  const sight = useSight();
  const { data, isPlaceholderData } = useQuery(
    foundRecords(sight, name.trim(), { shapes: field.refersTo, includeRetracted: true }),
  );
  const meant = isPlaceholderData ? undefined : meantBy(name, data ?? []);
  return (
    <p>
      <Text>{name}</Text> is not the full name of a record. A full name starts with a shape and a slash, such as{' '}
      <Text>{meant?.name ?? `${field.refersTo?.[0] ?? 'Shape'}/${name}`}</Text>.{' '}
      {meant !== undefined && (
        <SmallButton onClick={() => onMeant(meant.name)}>
          Use <Text>{meant.name}</Text> instead
        </SmallButton>
      )}
    </p>
  );
}

const MissingName = ({ name }: { name: string }) => (
  <p>
    The record <Text>{name}</Text> does not exist{whenText(useSight())}. Check the spelling.
  </p>
);

const Retracted = ({ name }: { name: string }) => (
  <p>
    <RecordLink wref={name} /> is retracted, and no listed record refers to it.
  </p>
);

type NamedState = 'there' | 'retracted' | 'missing';

const namedStates = (sight: Sight, names: readonly string[]) => ({
  ...readAt(sight, ['named-states', names.join(' ')], async (asked, where) => {
    const { items } = await client.thing.getMany(...where, [...names], { ...asked, includeRetracted: true });
    return new Map(names.map((name, index) => [name, stateOf(items[index] ?? null)]));
  }),
  enabled: names.length > 0,
  ...OPTIONAL,
});

const stateOf = (item: { readonly active: boolean } | null): NamedState =>
  item === null ? 'missing' : item.active ? 'there' : 'retracted';

export function AlsoRetracted({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <p className="quiet">
      {count === 1 ? '1 retracted record' : `${count.toLocaleString('en')} retracted records`} would match:{' '}
      <Link
        from="/$orgName/$repoName/records"
        to="."
        search={(before) => ({ ...before, retracted: true as const })}
        resetScroll={false}
      >
        show {count === 1 ? 'it' : 'them'}
      </Link>
    </p>
  );
}
