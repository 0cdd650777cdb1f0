import { useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/** Rarely, since it may stay closed for good. */
const AGAIN_MS = 20_000;

/** Counts the times that it is worth to ask again for what was refused: now and then, and when somebody looks or goes on. */
export function useAgain(isOver: boolean): number {
  const router = useRouter();
  const [times, setTimes] = useState(0);
  useEffect(() => {
    if (!isOver) return;
    const again = () => {
      if (document.visibilityState === 'visible') setTimes((before) => before + 1);
    };
    const timer = setInterval(again, AGAIN_MS);
    const unsubscribe = router.subscribe('onResolved', again);
    document.addEventListener('visibilitychange', again);
    window.addEventListener('focus', again);
    return () => {
      clearInterval(timer);
      unsubscribe();
      document.removeEventListener('visibilitychange', again);
      window.removeEventListener('focus', again);
    };
  }, [isOver, router]);
  return times;
}
