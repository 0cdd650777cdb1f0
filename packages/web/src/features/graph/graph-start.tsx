import type { ListedRecord } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type SubmitEvent, useDeferredValue, useEffect, useId, useState } from 'react';
import { timeOf, useSight } from '../../app/sight.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Text } from '../../ui/text.tsx';
import { foundRecords } from '../records/found-records.ts';
import { latestRecords } from './graph.ts';
import { startAmong } from './start-among.ts';

/** Which record to begin with: by words or a name, or one that changed lately, which may be folded away. */
export function GraphStart({ isFolded = false }: { isFolded?: boolean }) {
  const sight = useSight();
  const navigate = useNavigate();
  const id = useId();
  const [words, setWords] = useState('');
  const asked = useDeferredValue(words.trim());
  const found = useQuery({ ...foundRecords(sight, asked), enabled: asked !== '' });
  const latest = useQuery(latestRecords(sight));
  const [begun, setBegun] = useState<string>();
  // What was found for other words stays in sight meanwhile.
  const isAnswered = begun === asked && found.isSuccess && !found.isPlaceholderData;
  const start = isAnswered ? startAmong(found.data, asked) : undefined;
  useEffect(() => {
    if (start === undefined) return;
    const { orgName, repoName } = sight;
    const search = { ...timeOf(sight), from: start };
    void navigate({ to: '/$orgName/$repoName/graph', params: { orgName, repoName }, search });
  }, [start, sight, navigate]);
  const begin = (event: SubmitEvent) => {
    event.preventDefault();
    setBegun(words.trim() || undefined);
  };
  return (
    <div className="graph-beginning">
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
            onChange={(event) => {
              setWords(event.target.value);
              setBegun(undefined);
            }}
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
        <div className="graph-found">
          <h2>Found</h2>
          <p role="status">{isAnswered && found.data.length > 1 && start === undefined && 'Choose one of these.'}</p>
          <Loaded query={found} what="records" isPart>
            {(records) => <Choices records={records} none="Nothing is called so, or has these words." />}
          </Loaded>
        </div>
      )}
    </div>
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
