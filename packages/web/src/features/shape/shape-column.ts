interface Line {
  readonly from: string;
  readonly to: string;
}

/** Each name stands right of all that refer to it. References that close a circle are ignored. */
export function columnsOf(lines: readonly Line[]): string[][] {
  const names = [...new Set(lines.flatMap(({ from, to }) => [from, to]))].sort();
  const forward = withoutCircles(names, lines);
  const column = new Map(names.map((name) => [name, 0]));
  // A path is at most as long as there are names.
  for (let round = 0, moved = true; moved && round < names.length; round += 1) {
    moved = false;
    for (const { from, to } of forward) {
      const least = (column.get(from) ?? 0) + 1;
      if ((column.get(to) ?? 0) >= least) continue;
      column.set(to, least);
      moved = true;
    }
  }
  const byColumn = Map.groupBy(names, (name) => column.get(name) ?? 0);
  return [...byColumn.keys()].sort((one, other) => one - other).map((key) => byColumn.get(key) ?? []);
}

function withoutCircles(names: readonly string[], lines: readonly Line[]): Line[] {
  const from = Map.groupBy(lines, (line) => line.from);
  const state = new Map<string, 'open' | 'done'>();
  const forward: Line[] = [];
  const walk = (name: string): void => {
    state.set(name, 'open');
    for (const line of from.get(name) ?? []) {
      if (state.get(line.to) === 'open') continue;
      forward.push(line);
      if (!state.has(line.to)) walk(line.to);
    }
    state.set(name, 'done');
  };
  for (const name of names) if (!state.has(name)) walk(name);
  return forward;
}
