import { useEffect, useMemo, useRef, useState } from 'react';

/** How long a change is marked. */
const MARKED_MS = 8_000;

/** What changed a moment ago, by its names. */
export function useMarks() {
  const [changed, setChanged] = useState<ReadonlySet<string>>(() => new Set());
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const mark = useMemo(
    () => (names: readonly string[]) => {
      setChanged((before) => new Set([...before, ...names]));
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setChanged(new Set()), MARKED_MS);
    },
    [],
  );
  return { changed, mark };
}
