import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useId, useMemo, useRef, useState } from 'react';
import { useLive } from '../../app/live.tsx';
import { Text } from '../../ui/text.tsx';
import { stepTo } from '../records/found-records.ts';
import type { WalkNode } from './walk-state.ts';

interface NodeListProps {
  readonly nodes: readonly WalkNode[];
  readonly selected: string | undefined;
  readonly start: string | undefined;
  readonly onSelect: (node: WalkNode) => void;
}

const ROW_PX = 30;

/** The accessible form of the picture. Arrows move, Enter or Space selects. */
export function NodeList({ nodes, selected, start, onSelect }: NodeListProps) {
  const id = useId();
  const [words, setWords] = useState('');
  const listed = useMemo(() => sorted(nodes, words), [nodes, words]);
  return (
    <section className="node-list" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>Visible records</h2>
      <label>
        <span>Filter by name</span>
        <input type="search" value={words} onChange={(event) => setWords(event.target.value)} />
      </label>
      {listed.length === 0 ? (
        <p className="quiet">No visible record has this name.</p>
      ) : (
        <Rows id={id} nodes={listed} selected={selected} start={start} onSelect={onSelect} />
      )}
    </section>
  );
}

function sorted(nodes: readonly WalkNode[], words: string): WalkNode[] {
  const sought = words.trim().toLowerCase();
  return nodes
    .filter(({ name }) => name.toLowerCase().includes(sought))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function Rows({ id, nodes, selected, start: startId, onSelect }: NodeListProps & { readonly id: string }) {
  const { changed } = useLive();
  const list = useRef<HTMLDivElement>(null);
  const [held, setActive] = useState(0);
  const active = Math.min(held, nodes.length - 1);
  const rows = useVirtualizer({
    count: nodes.length,
    getScrollElement: () => list.current,
    estimateSize: () => ROW_PX,
    overscan: 10,
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const node = nodes[active];
    if ((event.key === 'Enter' || event.key === ' ') && node !== undefined) onSelect(node);
    const next = stepTo(event.key, active, nodes.length);
    if (next !== undefined) {
      setActive(next);
      rows.scrollToIndex(next);
    }
    if (next !== undefined || event.key === ' ') event.preventDefault();
  };
  const drawn = rows.getVirtualItems();
  const isActiveDrawn = drawn.some(({ index }) => index === active);
  return (
    <div
      ref={list}
      className="node-rows"
      role="listbox"
      aria-label="Records"
      tabIndex={0}
      aria-activedescendant={isActiveDrawn ? `${id}-${active}` : undefined}
      onKeyDown={onKeyDown}
    >
      <div role="presentation" style={{ height: rows.getTotalSize() }}>
        {drawn.map(({ index, start }) => {
          const node = nodes[index];
          if (node === undefined) return null;
          const classes = [
            'node-row',
            ...(index === active ? ['active'] : []),
            ...(changed.has(node.name) ? ['changed'] : []),
          ];
          return (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the list has the keys.
            <div
              key={node.id}
              id={`${id}-${index}`}
              className={classes.join(' ')}
              role="option"
              tabIndex={-1}
              aria-selected={node.id === selected}
              aria-setsize={nodes.length}
              aria-posinset={index + 1}
              style={{ height: ROW_PX, transform: `translateY(${start}px)` }}
              onClick={() => {
                setActive(index);
                onSelect(node);
              }}
            >
              <Text>{node.name}</Text> {node.id === startId && <span className="label">start</span>}{' '}
              {node.isRetracted && <span className="label">retracted</span>}
            </div>
          );
        })}
      </div>
    </div>
  );
}
