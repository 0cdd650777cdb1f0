import { useEffect } from 'react';

/** What the window is called: `Records · acme/world · Cairn`. */
export function useTitle(...parts: readonly string[]): void {
  const title = [...parts, 'Cairn'].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}
