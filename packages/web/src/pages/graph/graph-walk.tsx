import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { useLive } from '../../app/live.tsx';
import { problemOf } from '../../app/problem.ts';
import type { GraphSearch } from '../../app/search.ts';
import { atOf, type Sight, useSight } from '../../app/sight.ts';
import { description } from '../../data/queries.ts';
import { Calls } from '../../parts/calls.tsx';
import { RecordLink } from '../../parts/record-link.tsx';
import type { Marks } from './drawing.ts';
import { GraphStart } from './graph-start.tsx';
import { Legend } from './legend.tsx';
import { NodeList } from './node-list.tsx';
import { NodePanel } from './node-panel.tsx';
import { openedWithin } from './opened.ts';
import { countShapes } from './palette.ts';
import { useWalk } from './use-walk.ts';
import type { Walk, WalkNode, WalkState } from './walk.ts';
import { WalkBar } from './walk-bar.tsx';
import { hasWebGl } from './web-gl.ts';

const GraphCanvas = lazy(() => import('./graph-canvas.tsx').then(({ GraphCanvas: canvas }) => ({ default: canvas })));

const NOTHING: readonly string[] = [];

export function GraphWalk({ from }: { from: string }) {
  const sight = useSight();
  const { opened = NOTHING } = useSearch({ from: '/$orgName/$repoName/graph' });
  const { walk, state } = useWalk(sight, from, opened);
  const isEmpty = state.nodes.size === 0;
  return (
    <>
      <h1 className="graph-title">
        The graph around <RecordLink wref={from} />
      </h1>
      {state.problem !== undefined && <Problem problem={state.problem} retry={() => void walk.show(opened)} />}
      {isEmpty && state.problem === undefined && (
        <p className="waiting" role="status">
          Loading the graph…
        </p>
      )}
      {isEmpty && state.problem !== undefined && <GraphStart />}
      {!isEmpty && <Walked walk={walk} state={state} opened={opened} from={from} />}
      <Calls shown={[callFor(sight, from)]} />
    </>
  );
}

const callFor = (sight: Sight, from: string) => ({
  what: 'The records around it',
  procedure: 'thing.graph',
  given: [from],
  names: ['wref'],
  options: { depth: 2, limit: 300, ...atOf(sight) },
});

function Problem({ problem, retry }: { problem: unknown; retry: () => void }) {
  const { title, advice } = problemOf(problem);
  const hint = problem instanceof Error && 'hint' in problem ? String(problem.hint ?? '') : '';
  return (
    <div className="problem" role="alert">
      <p>
        {title}. {advice} {hint}
      </p>
      <button type="button" className="small" onClick={retry}>
        Try again
      </button>
    </div>
  );
}

interface WalkedProps {
  readonly walk: Walk;
  readonly state: WalkState;
  readonly opened: readonly string[];
  readonly from: string;
}

function Walked({ walk, state, opened, from }: WalkedProps) {
  const { without = NOTHING, selected: selectedName } = useSearch({ from: '/$orgName/$repoName/graph' });
  const say = useSay();
  const { changed } = useLive();
  const [canDraw] = useState(hasWebGl);
  const hidden = useMemo(() => new Set(without), [without]);
  const { data: described } = useQuery(description(useSight()));
  const shapes = useMemo(
    () => countShapes(state, described?.shapes.map(({ name }) => name) ?? NOTHING),
    [state, described],
  );
  const shown = useMemo(() => [...state.nodes.values()].filter(({ shape }) => !hidden.has(shape)), [state, hidden]);
  const selected = selectedName === undefined ? undefined : findNamed(state, selectedName);
  const marks: Marks = useMemo(
    () => ({ selected: selected?.id, without: hidden, changed, shapes }),
    [selected?.id, hidden, changed, shapes],
  );
  const select = useCallback((node: WalkNode | undefined) => say({ selected: node?.name }), [say]);
  const keep = (names: readonly string[]) => say({ opened: openedWithin([...opened, ...names]) });
  const expand = async (node: WalkNode) => {
    keep([node.name]);
    await walk.show([node.name]);
  };
  const expandAll = async () => keep(await walk.expandAll(({ shape }) => !hidden.has(shape)));
  return (
    <>
      <WalkBar state={state} shown={shown.length} onExpandAll={() => void expandAll()} onStop={() => walk.stop()} />
      <div className="graph">
        {canDraw ? (
          <Suspense fallback={<p className="waiting">Loading the picture…</p>}>
            <GraphCanvas
              state={state}
              marks={marks}
              onSelect={(id) => select(id === undefined ? undefined : state.nodes.get(id))}
              onExpand={(id) => {
                const node = state.nodes.get(id);
                if (node !== undefined) void expand(node);
              }}
            />
          </Suspense>
        ) : (
          <p className="graph-picture">
            This browser cannot draw the picture (it has no WebGL). The list has the same.
          </p>
        )}
        <div className="graph-side">
          <Legend shapes={shapes} without={hidden} onChange={(names) => say({ without: names })} />
          <NodePanel
            state={state}
            node={selected}
            from={from}
            onSelect={select}
            onExpand={(node) => void expand(node)}
          />
        </div>
        <NodeList nodes={shown} selected={selected?.id} onSelect={select} />
      </div>
    </>
  );
}

function findNamed({ nodes }: WalkState, name: string): WalkNode | undefined {
  for (const node of nodes.values()) if (node.name === name) return node;
  return undefined;
}

type Told = { readonly [Name in keyof GraphSearch]: GraphSearch[Name] | undefined };

/** Puts what is chosen into the address; what is empty leaves it. */
function useSay() {
  const navigate = useNavigate({ from: '/$orgName/$repoName/graph' });
  return useCallback(
    (told: Told) =>
      void navigate({
        to: '.',
        search: (before) => {
          const all = Object.entries({ ...before, ...told });
          return Object.fromEntries(all.filter(([, value]) => value !== undefined && [value].flat().length > 0));
        },
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
}
