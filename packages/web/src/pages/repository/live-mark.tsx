import { type LiveState, useLive } from '../../app/live.tsx';
import { useOnline } from '../../app/online.ts';

const SAID: Readonly<Record<LiveState, { label: string; title: string }>> = {
  connecting: { label: 'Connecting', title: 'What is shown is not followed yet.' },
  live: { label: 'Live', title: 'What is shown updates by itself.' },
  offline: { label: 'Offline', title: 'The connection was lost. It is tried again; what is shown may be old.' },
  ended: { label: 'Not live', title: 'What is shown is not followed any more. Load the page again to go on.' },
};

/** Whether what is on the screen follows what happens. */
export function LiveMark({ isPast }: { isPast: boolean }) {
  const { state: followed } = useLive();
  const isOnline = useOnline();
  if (isPast) return null;
  // A stream that is cut may look whole for a while.
  const state = isOnline ? followed : 'offline';
  const { label, title } = SAID[state];
  return (
    <p className={`live-mark ${state}`} role="status" title={title}>
      {label}
      {state === 'offline' && <span className="quiet"> trying again</span>}
    </p>
  );
}
