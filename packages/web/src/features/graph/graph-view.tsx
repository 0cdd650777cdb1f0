import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { useLive } from '../../app/live.tsx';
import { backOnline, useOnline } from '../../app/online.ts';
import type { GraphSearch } from '../../app/search.ts';
import { useSight } from '../../app/sight.ts';
import { placeOf } from '../record/wref.ts';
import { shapeOrder } from './graph.ts';
import { Legend } from './legend.tsx';
import type { Marks } from './marked-look.ts';
import { NodeList } from './node-list.tsx';
import { NodePanel } from './node-panel.tsx';
import { openedWithin } from './opened.ts';
import { countShapes } from './palette.ts';
import { shownOf } from './shown.ts';
import type { Walk } from './walk.ts';
import { WalkBar } from './walk-bar.tsx';
import type { WalkNode, WalkState } from './walk-state.ts';
import { hasWebGl } from './web-gl.ts';

const GraphCanvas = lazy(async () => {
  await backOnline();
  const { GraphCanvas: canvas } = await import('./graph-canvas.tsx');
  return { default: canvas };
});

const NOTHING: readonly string[] = [];

interface GraphViewProps {
  readonly state: WalkState;
  /** What goes further; absent where all of the repository is shown. */
  readonly walk?: Walk;
  readonly opened?: readonly string[];
  /** The record that the walk begins at. */
  readonly from?: string;
}

/** Records and references: the picture, what its colours mean, the record that is looked at, and all of it as a list. */
export function GraphView({ state, walk, opened = NOTHING, from }: GraphViewProps) {
  const { without = NOTHING, selected: selectedName } = useSearch({ from: '/$orgName/$repoName/graph' });
  const say = useSay();
  /** Back takes it back. */
  const step = useSay({ isStep: true });
  const { changed } = useLive();
  const [canDraw] = useState(hasWebGl);
  const hidden = useMemo(() => new Set(without), [without]);
  const { data: known = NOTHING } = useQuery(shapeOrder(useSight()));
  const shapes = useMemo(() => countShapes(state, known), [state, known]);
  const shown = useMemo(() => shownOf(state, hidden), [state, hidden]);
  const named = findNamed(state, selectedName);
  const selected = named !== undefined && hidden.has(named.shape) ? undefined : named;
  const start = findNamed(state, from === undefined ? undefined : placeOf(from).name);
  const marks: Marks = useMemo(
    () => ({ selected: selected?.id, start: start?.id, without: hidden, changed, shapes }),
    [selected?.id, start?.id, hidden, changed, shapes],
  );
  const select = useCallback((node: WalkNode | undefined) => say({ selected: node?.name }), [say]);
  /** A record that is hidden by it is not chosen any more. */
  const leaveOut = (names: readonly string[]) =>
    step({ without: names, ...(selected !== undefined && names.includes(selected.shape) && { selected: undefined }) });
  const keep = (names: readonly string[]) => step({ opened: openedWithin([...opened, ...names]) });
  const expand = async (node: WalkNode) => {
    keep([node.name]);
    await walk?.expand(node.name);
  };
  const fold = async (node: WalkNode) => {
    const kept = await walk?.fold(opened.filter((name) => name !== node.name));
    if (walk?.state().problem === undefined) step({ opened: kept });
  };
  const expandAll = async () => keep((await walk?.expandAll(({ shape }) => !hidden.has(shape))) ?? []);
  return (
    <>
      <WalkBar
        state={state}
        isWhole={walk === undefined}
        shown={shown}
        hasOpened={opened.length > 0}
        onExpandAll={() => void expandAll()}
        onStop={() => walk?.stop()}
      />
      <div className="graph">
        {canDraw ? (
          <Suspense fallback={<PictureWaited />}>
            <GraphCanvas
              state={state}
              shown={shown}
              marks={marks}
              onSelect={(id) => select(id === undefined ? undefined : state.nodes.get(id))}
              onExpand={(id) => {
                const node = state.nodes.get(id);
                if (node !== undefined && walk !== undefined) void expand(node);
              }}
            />
          </Suspense>
        ) : (
          <p className="graph-picture">
            This browser cannot draw the picture (it has no WebGL). The list has the same.
          </p>
        )}
        <div className="graph-side">
          <Legend
            shapes={shapes}
            start={start}
            hasRetracted={shown.nodes.some(({ isRetracted }) => isRetracted)}
            without={hidden}
            onChange={leaveOut}
          />
          <NodePanel
            state={state}
            node={selected}
            start={start}
            without={hidden}
            onSelect={select}
            opened={opened}
            onExpand={walk && ((node) => void expand(node))}
            onFold={(node) => void fold(node)}
          />
        </div>
        <NodeList nodes={shown.nodes} selected={selected?.id} start={start?.id} onSelect={select} />
      </div>
    </>
  );
}

function PictureWaited() {
  return (
    <p className="waiting" role="status">
      {useOnline() ? 'Loading the picture…' : 'You are offline. This goes on when you are back.'}
    </p>
  );
}

function findNamed({ nodes }: WalkState, name: string | undefined): WalkNode | undefined {
  for (const node of nodes.values()) if (node.name === name) return node;
  return undefined;
}

type Told = { readonly [Name in keyof GraphSearch]: GraphSearch[Name] | undefined };

/** Puts what is chosen into the address; what is empty leaves it. */
function useSay({ isStep = false } = {}) {
  const navigate = useNavigate({ from: '/$orgName/$repoName/graph' });
  return useCallback(
    (told: Told) =>
      void navigate({
        to: '.',
        search: (before) => {
          const all = Object.entries({ ...before, ...told });
          return Object.fromEntries(all.filter(([, value]) => value !== undefined && [value].flat().length > 0));
        },
        replace: !isStep,
        resetScroll: false,
      }),
    [navigate, isStep],
  );
}
