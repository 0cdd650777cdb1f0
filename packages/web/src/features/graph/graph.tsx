import type { ListedRecord } from '@cairn/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import {
  type SubmitEvent,
  useDeferredValue,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { ReadCall } from '../../app/calls.ts';
import { toGraph } from '../../app/links.ts';
import { useLive } from '../../app/live.tsx';
import { isMissing, problemOf } from '../../app/problem.ts';
import { atOf, homeName, type Sight, timeOf, useSight } from '../../app/sight.ts';
import { SmallButton } from '../../ui/button.tsx';
import { Loaded, useTitle, Waiting } from '../../ui/page.tsx';
import { Text } from '../../ui/text.tsx';
import { plain } from '../../ui/unseen.ts';
import { Calls } from '../commit/calls.tsx';
import { MissingRecord } from '../record/missing-record.tsx';
import { RecordLink } from '../record/record-link.tsx';
import { foundRecords } from '../records/found-records.ts';
import { FIRST } from './asking.ts';
import { around, latestOptions, latestRecords, readTies, type TooMany, wholeGraph, wholeOptions } from './graph.ts';
import { GraphView } from './graph-view.tsx';
import { Walk } from './walk.ts';
import { startAmong, type WalkState, wholeState } from './walk-state.ts';
import { WHOLE_REACH, type WholeGraph } from './whole-graph.ts';

export function Graph() {
  const { from } = useSearch({ from: '/$orgName/$repoName/graph' });
  const { orgName, repoName } = useSight();
  const where = `${orgName}/${repoName}`;
  useTitle(...(from === undefined ? ['Graph', where] : ['Graph', plain(from, 100), where]));
  return from === undefined ? <Beginning /> : <GraphWalk key={from} from={from} />;
}

function Beginning() {
  const sight = useSight();
  const { data, isPending } = useQuery(wholeGraph(sight));
  const whole = data !== undefined && 'nodes' in data && data.nodes.length > 0 ? data : undefined;
  return (
    <>
      <div className="graph-head">
        <h1 className="graph-title">Graph</h1>
        <p role="status">{introduction(data)}</p>
      </div>
      <GraphStart isFolded={isPending || whole !== undefined} />
      {isPending && <Waiting>Loading the graph…</Waiting>}
      {whole && <Whole whole={whole} />}
      {!isPending && (
        <Calls
          shown={whole ? wholeCalls(sight, whole) : [headCall(sight, 'The latest changes', latestOptions(sight))]}
        />
      )}
    </>
  );
}

function introduction(data: WholeGraph | TooMany | undefined): string {
  if (data !== undefined && 'tooMany' in data) {
    const count = data.count === undefined ? '' : ` (${data.count.toLocaleString('en')})`;
    return `There are too many records to draw at once${count}. Start with one record, and expand along its references.`;
  }
  return data === undefined || data.nodes.length === 0
    ? 'Start with a record, and expand along its references.'
    : 'All records and their references. Or start with one record, and expand along its references.';
}

function Whole({ whole }: { whole: WholeGraph }) {
  const state = useMemo(() => wholeState(whole), [whole]);
  return <GraphView state={state} />;
}

const headCall = (sight: Sight, what: string, options: NonNullable<ReadCall['options']>): ReadCall => ({
  what,
  procedure: 'thing.head',
  options,
  rest: `/api/repos/${homeName(sight)}/head`,
});

const wholeCalls = (sight: Sight, { nodes: [first] }: WholeGraph): ReadCall[] => [
  headCall(sight, 'The records', wholeOptions(sight)),
  {
    what: 'The references around one of them',
    procedure: 'thing.graph',
    given: [first?.wref ?? ''],
    names: ['wref'],
    options: { ...WHOLE_REACH, ...atOf(sight) },
  },
];

const NOTHING_OPENED: readonly string[] = [];

function GraphWalk({ from }: { from: string }) {
  const sight = useSight();
  const { opened = NOTHING_OPENED } = useSearch({ from: '/$orgName/$repoName/graph' });
  const { walk, state } = useWalk(sight, from, opened);
  const isEmpty = state.nodes.size === 0;
  if (isEmpty && isMissing(state.problem)) {
    return (
      <>
        <MissingRecord sight={sight} name={from}>
          {(name) => <GraphWalk key={name} from={name} />}
        </MissingRecord>
        <GraphStart />
      </>
    );
  }
  return (
    <>
      <h1 className="graph-title">
        Graph around <RecordLink wref={from} />
      </h1>
      {state.problem !== undefined && <Problem problem={state.problem} retry={() => void walk.show(opened)} />}
      {isEmpty && state.problem === undefined && <Waiting>Loading the graph…</Waiting>}
      {isEmpty && state.problem !== undefined && <GraphStart />}
      {!isEmpty && <GraphView walk={walk} state={state} opened={opened} from={from} />}
      <Calls shown={[callFor(sight, from)]} />
    </>
  );
}

const callFor = (sight: Sight, from: string) => ({
  what: 'The records around it',
  procedure: 'thing.graph',
  given: [from],
  names: ['wref'],
  options: { ...FIRST, includeRetracted: true, ...atOf(sight) },
});

function Problem({ problem, retry }: { problem: unknown; retry: () => void }) {
  const { title, advice } = problemOf(problem);
  const hint = problem instanceof Error && 'hint' in problem ? String(problem.hint ?? '') : '';
  return (
    <div className="problem" role="alert">
      <p>
        {title}. {advice} {hint}
      </p>
      <SmallButton onClick={retry}>Try again</SmallButton>
    </div>
  );
}

function useWalk(sight: Sight, from: string, opened: readonly string[]): { walk: Walk; state: WalkState } {
  const queries = useQueryClient();
  const walk = useMemo(
    () =>
      new Walk(from, {
        around: (name, options) => queries.fetchQuery(around(sight, name, options)),
        ties: (durableId, cursor) => readTies(sight, durableId, cursor),
      }),
    [queries, sight, from],
  );
  const state = useSyncExternalStore(walk.subscribe, walk.state);
  const { turn, changed } = useLive();
  const before = useRef(opened);
  useEffect(() => {
    const isLess = before.current.some((name) => !opened.includes(name));
    before.current = opened;
    void (isLess ? walk.fold(opened) : walk.show(opened));
  }, [walk, opened]);
  useEffect(() => () => walk.stop(), [walk]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what changed is asked for once, not again when its mark ends.
  useEffect(() => {
    if (turn > 0) void walk.refresh(changed);
  }, [walk, turn]);
  return { walk, state: useLasting(state) };
}

/** Keeps the last state, so that nodes keep their places. */
function useLasting(state: WalkState): WalkState {
  const last = useRef(state);
  if (state.nodes.size > 0 || state.problem !== undefined) last.current = state;
  return last.current;
}

function GraphStart({ isFolded = false }: { isFolded?: boolean }) {
  const sight = useSight();
  const navigate = useNavigate();
  const id = useId();
  const [words, setWords] = useState('');
  const asked = useDeferredValue(words.trim());
  const found = useQuery({ ...foundRecords(sight, asked), enabled: asked !== '' });
  const latest = useQuery(latestRecords(sight));
  const [begun, setBegun] = useState<string>();
  const isAnswered = begun === asked && found.isSuccess && !found.isPlaceholderData;
  const start = isAnswered ? startAmong(found.data, asked) : undefined;
  useEffect(() => {
    if (start === undefined) return;
    const search = { ...timeOf(sight), from: start };
    void navigate(toGraph(sight, search));
  }, [start, sight, navigate]);
  const begin = (event: SubmitEvent) => {
    event.preventDefault();
    setBegun(words.trim() || undefined);
  };
  return (
    <div className="graph-beginning">
      <form className="graph-start" onSubmit={begin}>
        <label htmlFor={id}>Find a record by its name, or by words in it</label>
        <div>
          <input
            id={id}
            type="search"
            autoComplete="off"
            spellCheck={false}
            placeholder="Shape/name or words"
            value={words}
            onChange={(event) => {
              setWords(event.target.value);
              setBegun(undefined);
            }}
          />
          <button type="submit">Start here</button>
        </div>
      </form>
      {asked === '' ? (
        <details className="graph-latest" open={!isFolded}>
          <summary>
            <h2>Latest changes</h2>
          </summary>
          <Loaded query={latest} what="records" isPart>
            {(records) => <Choices records={records} none="There are no records yet." />}
          </Loaded>
        </details>
      ) : (
        <div className="graph-found">
          <h2>Results</h2>
          <p role="status">{isAnswered && found.data.length > 1 && start === undefined && 'Choose a record.'}</p>
          <Loaded query={found} what="records" isPart>
            {(records) => <Choices records={records} none="No record has this name or these words." />}
          </Loaded>
        </div>
      )}
    </div>
  );
}

function Choices({ records, none }: { records: readonly ListedRecord[]; none: string }) {
  const sight = useSight();
  if (records.length === 0) return <p role="status">{none}</p>;
  return (
    <ul className="graph-choices">
      {records.map(({ durableId, name, kind }) => (
        <li key={durableId}>
          <Link {...toGraph(sight, { from: name })}>
            <Text>{name}</Text>
          </Link>{' '}
          <span className="quiet">{kind}</span>
        </li>
      ))}
    </ul>
  );
}
