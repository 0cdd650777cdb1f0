import { type LiveState, useLive, useLiveState } from '../../app/live.tsx';
import { useSession } from '../../app/session.ts';

interface Said {
  readonly label: string;
  readonly more?: string;
  readonly title: string;
}

const SAID: Readonly<Record<LiveState, Said>> = {
  connecting: { label: 'Connecting', title: 'What is shown is not followed yet.' },
  waiting: {
    label: 'Not live',
    more: 'other windows are',
    title: 'As many windows of this browser are live as can be at once. Close one of them, and this one is.',
  },
  live: {
    label: 'Live',
    title: 'What is shown updates by itself. What has changed is marked at its left for a while.',
  },
  offline: {
    label: 'Offline',
    more: 'trying again',
    title: 'The connection was lost. It is tried again; what is shown may be old.',
  },
  closed: { label: 'Not live', more: 'closed to you', title: 'You may not read this repository any more.' },
  ended: {
    label: 'Not live',
    more: 'trying again',
    title: 'What is shown is not followed. It is tried again; what is shown may be old.',
  },
};

const SIGNED_OUT: Said = {
  label: 'Not live',
  more: 'signed out',
  title: 'What is shown is followed again once you sign in, or look on without.',
};

/** Whether what is on the screen follows what happens. */
export function LiveMark({ isPast }: { isPast: boolean }) {
  const { reload } = useLive();
  const state = useLiveState();
  const { isEnded } = useSession();
  if (isPast) return null;
  const { label, more, title } = state === 'closed' && isEnded ? SIGNED_OUT : SAID[state];
  return (
    <div className="live-state">
      <p className="live-mark" data-state={state} role="status" title={title}>
        {label}
        {more !== undefined && <span className="quiet"> {more}</span>}
      </p>
      {(state === 'waiting' || state === 'ended') && (
        <button type="button" className="small" onClick={reload}>
          Load again
        </button>
      )}
    </div>
  );
}
