import { type LiveState, useLive } from '../../app/live.tsx';
import { useOnline } from '../../app/online.ts';

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
  live: { label: 'Live', title: 'What is shown updates by itself.' },
  offline: {
    label: 'Offline',
    more: 'trying again',
    title: 'The connection was lost. It is tried again; what is shown may be old.',
  },
  closed: { label: 'Not live', more: 'closed to you', title: 'You may not read this repository any more.' },
  ended: { label: 'Not live', title: 'What is shown is not followed any more. Load the page again to go on.' },
};

/** Whether what is on the screen follows what happens. */
export function LiveMark({ isPast }: { isPast: boolean }) {
  const { state: followed } = useLive();
  const isOnline = useOnline();
  if (isPast) return null;
  // A stream that is cut may look whole for a while.
  const state = isOnline ? followed : 'offline';
  const { label, more, title } = SAID[state];
  return (
    <p className={`live-mark ${state}`} role="status" title={title}>
      {label}
      {more !== undefined && <span className="quiet"> {more}</span>}
    </p>
  );
}
