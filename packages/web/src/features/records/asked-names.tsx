import { queryOptions, useQuery } from '@tanstack/react-query';
import type { RecordsSearch } from '../../app/search.ts';
import { type Sight, atOf, useSight } from '../../app/sight.ts';
import { Text } from '../../ui/text.tsx';
import { RecordLink } from '../record/record-link.tsx';
import type { DeclaredField } from '../shape/declared-field.ts';
import { foundRecords } from './found-records.ts';
import { isBareName, meantBy } from './record-name.ts';
import type { Choose } from './use-choice.ts';
import { type NamedInCondition, namedIn, withName } from './where.ts';
import { repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';

interface AskedNamesProps {
  readonly search: RecordsSearch;
  readonly fields: readonly DeclaredField[];
  readonly choose: Choose;
}

/** Of records that conditions name: which there are not, which are retracted, and which were probably meant. */
export function AskedNames({ search: { where = [] }, fields, choose }: AskedNamesProps) {
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
        if (state === 'missing') return <Missing key={key} name={one.name} />;
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
      <Text>{name}</Text> is not the whole name of a record. A whole name begins with a shape and a slash, such as{' '}
      <Text>{meant?.name ?? `${field.refersTo?.[0] ?? 'Shape'}/${name}`}</Text>.{' '}
      {meant !== undefined && (
        <button type="button" className="small" onClick={() => onMeant(meant.name)}>
          Look for <Text>{meant.name}</Text> instead
        </button>
      )}
    </p>
  );
}

function Missing({ name }: { name: string }) {
  const { at } = useSight();
  return (
    <p>
      There {at === undefined ? 'is' : 'was'} no record <Text>{name}</Text>
      {at !== undefined && ` at sequence ${at.toLocaleString('en')}`}. Look how it is spelled.
    </p>
  );
}

function Retracted({ name }: { name: string }) {
  return (
    <p>
      <RecordLink wref={name} /> is retracted, and nothing that is listed refers to it any more.
    </p>
  );
}

// Records by names that somebody has written down, which may be wrong.

type NamedState = 'there' | 'retracted' | 'missing';

/** How it stands with records of this repository, by the names that they were asked for by. */
const namedStates = (sight: Sight, names: readonly string[]) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'named-states', sight.at ?? 'now', names.join(' ')],
    queryFn: async ({ signal }): Promise<ReadonlyMap<string, NamedState>> => {
      const { orgName, repoName } = sight;
      const options = { signal, includeRetracted: true, ...atOf(sight) };
      const { items } = await client.thing.getMany(orgName, repoName, [...names], options);
      return new Map(names.map((name, index) => [name, stateOf(items[index] ?? null)]));
    },
    enabled: names.length > 0,
    retry: false,
  });

const stateOf = (item: { readonly active: boolean } | null): NamedState =>
  item === null ? 'missing' : item.active ? 'there' : 'retracted';
