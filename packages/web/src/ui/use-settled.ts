import { useEffect, useState } from 'react';

/** So long nothing has changed. */
const SETTLED_MS = 200;

/** A text that changes often, when it rests: not each of its changes is asked for. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
