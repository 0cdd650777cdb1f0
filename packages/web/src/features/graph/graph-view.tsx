import { splitWref } from '@cairn/model/wref';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useMemo, useState } from 'react';
import { useLive } from '../../app/live.tsx';
import { backOnline } from '../../app/problem.ts';
import type { GraphSearch } from '../../app/search.ts';
import { useSight } from '../../app/sight.ts';
import { SmallButton } from '../../ui/button.tsx';
import { Waiting } from '../../ui/page.tsx';
import { Text } from '../../ui/text.tsx';
import { FIRST } from './asking.ts';
import { shapeOrder } from './graph.ts';
import { NODES_MAX } from './held.ts';
import { countShapes, type Marks, type ShapeCount } from './look.ts';
import { NodeList } from './node-list.tsx';
import { NodePanel } from './node-panel.tsx';
import type { Walk } from './walk.ts';
import { countsOf, openedWithin, type ShownPart, shownOf, type WalkNode, type WalkState } from './walk-state.ts';

const GraphCanvas = lazy(async () => {
  await backOnline();
  const { GraphCanvas: canvas } = await import('./graph-canvas.tsx');
  return { default: canvas };
});

const NO_NAMES: readonly string[] = [];

interface GraphViewProps {
  readonly state: WalkState;
  readonly walk?: Walk;
  readonly opened?: readonly string[];
  readonly from?: string;
}

export function GraphView({ state, walk, opened = NO_NAMES, from }: GraphViewProps) {
  const { without = NO_NAMES, selected: selectedName } = useSearch({ from: '/$orgName/$repoName/graph' });
  const say = useSay();
  const step = useSay({ isStep: true });
  const { changed } = useLive();
  const [canDraw] = useState(hasWebGl);
  const hidden = useMemo(() => new Set(without), [without]);
  const { data: known = NO_NAMES } = useQuery(shapeOrder(useSight()));
  const shapes = useMemo(() => countShapes(state, known), [state, known]);
  const shown = useMemo(() => shownOf(state, hidden), [state, hidden]);
  const named = findNamed(state, selectedName);
  const selected = named !== undefined && hidden.has(named.shape) ? undefined : named;
  const start = findNamed(state, from === undefined ? undefined : splitWref(from).name);
  const marks: Marks = useMemo(
    () => ({ selected: selected?.id, start: start?.id, without: hidden, changed, shapes }),
    [selected?.id, start?.id, hidden, changed, shapes],
  );
  const select = useCallback((node: WalkNode | undefined) => say({ selected: node?.name }), [say]);
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
          <Suspense fallback={<Waiting>Loading the graph…</Waiting>}>
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
            This browser cannot draw the graph, because it has no WebGL. The list shows the same records.
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

function findNamed({ nodes }: WalkState, name: string | undefined): WalkNode | undefined {
  for (const node of nodes.values()) if (node.name === name) return node;
  return undefined;
}

type SearchChange = { readonly [Name in keyof GraphSearch]: GraphSearch[Name] | undefined };

function useSay({ isStep = false } = {}) {
  const navigate = useNavigate({ from: '/$orgName/$repoName/graph' });
  return useCallback(
    (told: SearchChange) =>
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

function hasWebGl(): boolean {
  const canvas = document.createElement('canvas');
  return (canvas.getContext('webgl2') ?? canvas.getContext('webgl')) !== null;
}

interface LegendProps {
  readonly shapes: readonly ShapeCount[];
  readonly start: WalkNode | undefined;
  readonly hasRetracted: boolean;
  readonly without: ReadonlySet<string>;
  readonly onChange: (without: readonly string[]) => void;
}

function Legend({ shapes, start, hasRetracted, without, onChange }: LegendProps) {
  const toggle = (shape: string) =>
    onChange(without.has(shape) ? [...without].filter((one) => one !== shape) : [...without, shape]);
  return (
    <fieldset className="legend">
      <legend>Shapes</legend>
      {shapes.map(({ shape, count, colour }) => (
        <label key={shape}>
          <input type="checkbox" checked={!without.has(shape)} onChange={() => toggle(shape)} />
          <span className={`swatch swatch-${colour}`} aria-hidden="true" />
          <Text>{shape}</Text>
          <span className="quiet">{count.toLocaleString('en')}</span>
        </label>
      ))}
      {start !== undefined && (
        <p>
          <span className="swatch swatch-start" aria-hidden="true" />
          <span>
            Start: <Text>{start.name}</Text>
          </span>
        </p>
      )}
      {hasRetracted && (
        <p>
          <span className="swatch swatch-retracted" aria-hidden="true" />
          <span>Retracted, but still referenced</span>
        </p>
      )}
    </fieldset>
  );
}

interface WalkBarProps {
  readonly state: WalkState;
  readonly isWhole: boolean;
  readonly shown: ShownPart;
  readonly hasOpened: boolean;
  readonly onExpandAll: () => void;
  readonly onStop: () => void;
}

function WalkBar({ state, isWhole, shown, hasOpened, onExpandAll, onStop }: WalkBarProps) {
  const { work, isFull } = state;
  const isExpanded = shown.nodes.every(({ id }) => state.complete.has(id) || state.cut.has(id));
  return (
    <div className="walk-bar">
      <p>{countsOf(state, shown)}</p>
      {isWhole ? null : work === undefined ? (
        <SmallButton disabled={isExpanded || isFull} onClick={onExpandAll}>
          Expand all
        </SmallButton>
      ) : (
        <>
          <progress aria-label="Expanded" value={work.done} max={work.all} />
          <SmallButton onClick={onStop}>Stop</SmallButton>
        </>
      )}
      <p className="quiet" role="status">
        {isWhole ? 'This is the whole repository' : walkStatus(state, hasOpened)}
      </p>
    </div>
  );
}

const isAllExpanded = ({ nodes, complete, cut }: WalkState) => complete.size + cut.size >= nodes.size;

function walkStatus(state: WalkState, hasOpened: boolean): string {
  const { nodes, edges, cut, work, isFull, isPart } = state;
  if (work !== undefined) return `Expanding ${work.done.toLocaleString('en')} of ${work.all.toLocaleString('en')}`;
  if (isFull) return `The graph is full (${NODES_MAX.toLocaleString('en')} records)`;
  if (edges.size === 0 && nodes.size === 1) return 'It has no references';
  if (isAllExpanded(state) && cut.size === 0) return 'These are all connected records';
  const reach = `up to ${FIRST.depth} references away`;
  if (isPart) return `Some of the records ${reach}. To see more, select a record and expand it`;
  return `Records ${reach}${hasOpened ? ', and around expanded records' : ''}`;
}
