import { useLocation } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef, useState } from 'react';

export function useTitle(...parts: readonly string[]): void {
  const title = [...parts, 'Cairn'].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** On phones the navigation scrolls: keeps the current link in view. */
export function useCurrentInView(count: number): RefObject<HTMLElement | null> {
  const nav = useRef<HTMLElement>(null);
  const path = useLocation({ select: ({ pathname }) => pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page is open when the path is another, and some links come late.
  useEffect(() => {
    nav.current?.querySelector('[aria-current="page"]')?.scrollIntoView({ inline: 'nearest', block: 'nearest' });
  }, [path, count]);
  return nav;
}

/** For when the focused element disappears. */
export function focusContent(): void {
  document.getElementById('content')?.focus({ preventScroll: true });
}

const SETTLED_MS = 200;

/** Debounces a text. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** A problem holds only for the value that it was reported for. */
export function useTold(problem: string | undefined, value: string): string | undefined {
  const [told, setTold] = useState({ problem, value });
  if (told.problem !== problem) setTold({ problem, value });
  return told.value === value ? problem : undefined;
}
