import { NODES_MAX, type WalkState } from './walk.ts';

interface WalkBarProps {
  readonly state: WalkState;
  /** Whether it is all of the repository. */
  readonly isWhole: boolean;
  /** How many records are not filtered away. */
  readonly shown: number;
  readonly onExpandAll: () => void;
  readonly onStop: () => void;
}

/** How much there is, and one step further from all of it. */
export function WalkBar({ state, isWhole, shown, onExpandAll, onStop }: WalkBarProps) {
  const { nodes, edges, work, isFull } = state;
  const filtered = shown < nodes.size ? `, ${(nodes.size - shown).toLocaleString('en')} of them hidden` : '';
  return (
    <div className="walk-bar">
      <p>
        {nodes.size.toLocaleString('en')} {nodes.size === 1 ? 'record' : 'records'}
        {filtered}, {edges.size.toLocaleString('en')} {edges.size === 1 ? 'reference' : 'references'}
      </p>
      {isWhole ? null : work === undefined ? (
        <button type="button" className="small" disabled={isAllExpanded(state) || isFull} onClick={onExpandAll}>
          Expand all that are shown
        </button>
      ) : (
        <>
          <progress aria-label="Expanded" value={work.done} max={work.all} />
          <button type="button" className="small" onClick={onStop}>
            Stop
          </button>
        </>
      )}
      <p className="quiet" role="status">
        {isWhole ? 'This is all of the repository' : saidOf(state)}
      </p>
    </div>
  );
}

const isAllExpanded = ({ nodes, complete, cut }: WalkState) => complete.size + cut.size >= nodes.size;

function saidOf(state: WalkState): string {
  const { nodes, edges, cut, work, isFull } = state;
  if (work !== undefined) return `Expanding ${work.done.toLocaleString('en')} of ${work.all.toLocaleString('en')}`;
  if (isFull) return `As many as can be shown (${NODES_MAX.toLocaleString('en')})`;
  if (edges.size === 0 && nodes.size === 1) return 'It refers to nothing, and nothing refers to it';
  return isAllExpanded(state) && cut.size === 0 ? 'This is all that is connected' : '';
}
