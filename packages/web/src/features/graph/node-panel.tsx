import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { toGraph } from '../../app/links.ts';
import { useLive } from '../../app/live.tsx';
import { useSight } from '../../app/sight.ts';
import { SmallButton } from '../../ui/button.tsx';
import { ShowMore, Text, usePortion } from '../../ui/text.tsx';
import { RecordLink } from '../record/record-link.tsx';
import { type Neighbour, neighboursOf, type WalkNode, type WalkState } from './walk-state.ts';

interface NodePanelProps {
  readonly state: WalkState;
  readonly node: WalkNode | undefined;
  readonly start: WalkNode | undefined;
  readonly without: ReadonlySet<string>;
  readonly onSelect: (node: WalkNode | undefined) => void;
  readonly opened: readonly string[];
  readonly onExpand: ((node: WalkNode) => void) | undefined;
  readonly onFold: (node: WalkNode) => void;
}

export function NodePanel({ state, node, start, without, opened, onSelect, onExpand, onFold }: NodePanelProps) {
  const sight = useSight();
  if (node === undefined) {
    return <p className="quiet">Select a record in the graph or in the list to see its references.</p>;
  }
  return (
    <section className="node-panel" aria-labelledby="selected-node">
      <NodeHeading node={node} />
      <div className="node-actions">
        {onExpand !== undefined && (
          <ExpandButton
            state={state}
            node={node}
            isOpened={opened.includes(node.name)}
            onExpand={onExpand}
            onFold={onFold}
          />
        )}
        {node.id !== start?.id && <Link {...toGraph(sight, { from: node.name })}>Start here</Link>}
        <SmallButton onClick={() => onSelect(undefined)}>Close</SmallButton>
      </div>
      <MissingNeighbours state={state} node={node} />
      <Neighbours key={node.id} state={state} node={node} without={without} onSelect={onSelect} />
    </section>
  );
}

function NodeHeading({ node }: { node: WalkNode }) {
  const { changed } = useLive();
  return (
    <>
      <h2 id="selected-node" className={changed.has(node.name) ? 'changed' : undefined}>
        <RecordLink wref={node.name} />
        {node.isRetracted && <span className="label">retracted</span>}
      </h2>
      <p className="quiet">
        {node.kind}
        {node.kind !== 'shape' && (
          <>
            {' '}
            of shape <RecordLink wref={node.shape} />
          </>
        )}
      </p>
    </>
  );
}

function MissingNeighbours({ state, node }: { state: WalkState; node: WalkNode }) {
  if (state.complete.has(node.id)) return null;
  if (state.isFull) {
    return (
      <p>
        The graph is full. The <RecordLink wref={node.name}>page of the record</RecordLink> lists all of its references.
      </p>
    );
  }
  if (!state.cut.has(node.id)) return <p>Some references are not shown yet. Expand to see all of them.</p>;
  return (
    <p>
      Some references are not shown. Expand further, or see the{' '}
      <RecordLink wref={node.name}>page of the record</RecordLink>, which lists all of them.
    </p>
  );
}

interface ExpandButtonProps {
  readonly state: WalkState;
  readonly node: WalkNode;
  readonly isOpened: boolean;
  readonly onExpand: (node: WalkNode) => void;
  readonly onFold: (node: WalkNode) => void;
}

function ExpandButton({ state, node, isOpened, onExpand, onFold }: ExpandButtonProps) {
  const isComplete = state.complete.has(node.id);
  const isCut = state.cut.has(node.id);
  const expand = (
    <SmallButton disabled={isComplete || state.isFull || state.work !== undefined} onClick={() => onExpand(node)}>
      {isComplete ? 'Expanded' : isCut ? 'Expand further' : 'Expand'}
    </SmallButton>
  );
  if (!isOpened || !(isComplete || isCut)) return expand;
  return (
    <>
      {isCut && expand}
      <SmallButton onClick={() => onFold(node)}>Collapse</SmallButton>
    </>
  );
}

type NeighboursProps = Pick<NodePanelProps, 'state' | 'without' | 'onSelect'> & { readonly node: WalkNode };

const SAID = { out: 'Refers to', in: 'Referenced by' } as const;

function Neighbours({ state, node, without, onSelect }: NeighboursProps) {
  const all = useMemo(() => neighboursOf(state, node.id), [state, node.id]);
  const shown = all.filter((neighbour) => !without.has(neighbour.node.shape));
  const hidden = all.length - shown.length;
  return (
    <>
      {(['out', 'in'] as const).map((direction) => (
        <NeighbourList
          key={direction}
          title={SAID[direction]}
          neighbours={shown.filter((neighbour) => neighbour.direction === direction)}
          onSelect={onSelect}
        />
      ))}
      {shown.length === 0 && hidden === 0 && <p className="quiet">No visible references.</p>}
      {hidden > 0 && <p className="quiet">{hidden.toLocaleString('en')} more in hidden shapes.</p>}
    </>
  );
}

interface NeighbourListProps {
  readonly title: string;
  readonly neighbours: readonly Neighbour[];
  readonly onSelect: (node: WalkNode) => void;
}

function NeighbourList({ title, neighbours, onSelect }: NeighbourListProps) {
  const { shown, left, more } = usePortion(neighbours);
  if (neighbours.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {shown.map(({ node, key, label }) => (
          <li key={key}>
            <button type="button" className="as-link" onClick={() => onSelect(node)}>
              <Text>{node.name}</Text>
            </button>{' '}
            {node.isRetracted && <span className="label">retracted</span>}{' '}
            <span className="quiet">
              <Text>{label}</Text>
            </span>
          </li>
        ))}
      </ul>
      <ShowMore left={left} more={more} what="references" />
    </>
  );
}
