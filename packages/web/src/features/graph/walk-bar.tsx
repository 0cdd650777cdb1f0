import { FIRST } from './asking.ts';
import { NODES_MAX } from './held.ts';
import { countsOf, type ShownPart } from './shown.ts';
import type { WalkState } from './walk-state.ts';

interface WalkBarProps {
  readonly state: WalkState;
  /** Whether it is all of the repository. */
  readonly isWhole: boolean;
  /** What is not filtered away. */
  readonly shown: ShownPart;
  /** Whether the walk went on from where it began. */
  readonly hasOpened: boolean;
  readonly onExpandAll: () => void;
  readonly onStop: () => void;
}

/** How much there is, and one step further from all of it. */
export function WalkBar({ state, isWhole, shown, hasOpened, onExpandAll, onStop }: WalkBarProps) {
  const { work, isFull } = state;
  const isExpanded = shown.nodes.every(({ id }) => state.complete.has(id) || state.cut.has(id));
  return (
    <div className="walk-bar">
      <p>{countsOf(state, shown)}</p>
      {isWhole ? null : work === undefined ? (
        <button type="button" className="small" disabled={isExpanded || isFull} onClick={onExpandAll}>
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
        {isWhole ? 'This is all of the repository' : saidOf(state, hasOpened)}
      </p>
    </div>
  );
}

const isAllExpanded = ({ nodes, complete, cut }: WalkState) => complete.size + cut.size >= nodes.size;

function saidOf(state: WalkState, hasOpened: boolean): string {
  const { nodes, edges, cut, work, isFull, isPart } = state;
  if (work !== undefined) return `Expanding ${work.done.toLocaleString('en')} of ${work.all.toLocaleString('en')}`;
  if (isFull) return `As many as can be shown (${NODES_MAX.toLocaleString('en')})`;
  if (edges.size === 0 && nodes.size === 1) return 'It refers to nothing, and nothing refers to it';
  if (isAllExpanded(state) && cut.size === 0) return 'This is all that is connected';
  const reach = `up to ${FIRST.depth} references away`;
  if (isPart)
    return `Only a part of what is ${reach}: there is too much for one answer. Choose a record and expand it for more`;
  return `What is ${reach}${hasOpened ? ', and around what was expanded' : ''}`;
}
