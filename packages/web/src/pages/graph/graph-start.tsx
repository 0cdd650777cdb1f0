import type { ListedRecord } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type SubmitEvent, useDeferredValue, useId, useState } from 'react';
import { timeOf, useSight } from '../../app/sight.ts';
import { foundRecords } from '../../data/found-records.ts';
import { latestRecords } from '../../data/graph.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Text } from '../../parts/text.tsx';

/** Which record to begin with: by words or a name, or one that changed lately, which may be folded away. */
export function GraphStart({ isFolded = false }: { isFolded?: boolean }) {
  const sight = useSight();
  const navigate = useNavigate();
  const id = useId();
  const [words, setWords] = useState('');
  const asked = useDeferredValue(words.trim());
  const found = useQuery({ ...foundRecords(sight, asked), enabled: asked !== '' });
  const latest = useQuery(latestRecords(sight));
  const begin = (event: SubmitEvent) => {
    event.preventDefault();
    const from = found.data?.find(({ name }) => name === asked)?.name ?? found.data?.[0]?.name ?? asked;
    const { orgName, repoName } = sight;
    if (from !== '')
      void navigate({
        to: '/$orgName/$repoName/graph',
        params: { orgName, repoName },
        search: { ...timeOf(sight), from },
      });
  };
  return (
    <>
      <form className="graph-start" onSubmit={begin}>
        <label htmlFor={id}>A record, by its name or words in it</label>
        <div>
          <input
            id={id}
            type="search"
            autoComplete="off"
            spellCheck={false}
            placeholder="Shape/name, or a word"
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
          <button type="submit">Begin here</button>
        </div>
      </form>
      {asked === '' ? (
        <details className="graph-latest" open={!isFolded}>
          <summary>
            <h2>Changed lately</h2>
          </summary>
          <Loaded query={latest} what="records" isPart>
            {(records) => <Choices records={records} none="There is no record yet." />}
          </Loaded>
        </details>
      ) : (
        <>
          <h2>Found</h2>
          <Loaded query={found} what="records" isPart>
            {(records) => <Choices records={records} none="Nothing is called so, or has these words." />}
          </Loaded>
        </>
      )}
    </>
  );
}

function Choices({ records, none }: { records: readonly ListedRecord[]; none: string }) {
  const sight = useSight();
  const { orgName, repoName } = sight;
  if (records.length === 0) return <p role="status">{none}</p>;
  return (
    <ul className="graph-choices">
      {records.map(({ durableId, name, kind }) => (
        <li key={durableId}>
          <Link to="/$orgName/$repoName/graph" params={{ orgName, repoName }} search={{ ...timeOf(sight), from: name }}>
            <Text>{name}</Text>
          </Link>{' '}
          <span className="quiet">{kind}</span>
        </li>
      ))}
    </ul>
  );
}
