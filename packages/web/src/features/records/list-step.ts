const PAGE = 10;

/** Where a key leads in a list; nowhere, if it is none of those that move. */
export function stepTo(key: string, from: number, length: number): number | undefined {
  const within = (place: number) => Math.max(0, Math.min(length - 1, place));
  if (key === 'ArrowDown') return within(from + 1);
  if (key === 'ArrowUp') return within(from - 1);
  if (key === 'PageDown') return within(from + PAGE);
  if (key === 'PageUp') return within(from - PAGE);
  if (key === 'Home') return 0;
  return key === 'End' ? within(length - 1) : undefined;
}
