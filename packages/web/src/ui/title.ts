import { useLocation } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef, useState } from 'react';

/** What the window is called: `Records · acme/world · Cairn`. */
export function useTitle(...parts: readonly string[]): void {
  const title = [...parts, 'Cairn'].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** On a phone not all links of a navigation fit: the one that is open must be among those that are seen. */
export function useCurrentInView(count: number): RefObject<HTMLElement | null> {
  const nav = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is open when the path is another, and some links come late.
  useEffect(() => {
    nav.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  }, [path, count]);
  return nav;
}

/** Where the keyboard goes when what it was on is gone: to the content, as on a new page. */
export function focusContent(): void {
  document.getElementById('content')?.focus({ preventScroll: true });
}

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

/** What was said against a value, as long as it stands: it is not said of another. */
export function useTold(problem: string | undefined, value: string): string | undefined {
  const [told, setTold] = useState({ problem, value });
  if (told.problem !== problem) setTold({ problem, value });
  return told.value === value ? problem : undefined;
}
