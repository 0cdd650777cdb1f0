// Facts that were true from one sequence until another. Two sets of them are the same when they agree at every sequence,
// however they are cut into rows.

export interface Span {
  /** What was true. */
  readonly fact: string;
  readonly from: number;
  /** The first sequence at which it was true no more; `null` when it still is. */
  readonly to: number | null;
}

export function toSpan(fact: string, { from_seq, to_seq }: { from_seq: number; to_seq: number | null }): Span {
  return { fact, from: from_seq, to: to_seq };
}

interface Compared {
  readonly rows: readonly Span[];
  readonly source: readonly Span[];
  /** What was before is not compared. */
  readonly after: number;
}

/** Where rows tell another story than what they were made from. */
export function compareSpans(title: string, { rows, source, after }: Compared): string[] {
  const [told, true_] = [timesOf(since(after, rows)), timesOf(since(after, source))];
  const facts = [...new Set([...told.keys(), ...true_.keys()])].sort();
  return facts.flatMap((fact) => {
    const [row, should] = [told.get(fact) ?? 'never', true_.get(fact) ?? 'never'];
    return row === should ? [] : [`${title} ${fact}: the rows say ${row}, and it was ${should}`];
  });
}

/** Of facts that exclude each other (those of one group), those that hold at the same time, from a sequence on. */
export function findOverlaps(title: string, groups: ReadonlyMap<unknown, readonly Span[]>, after: number): string[] {
  return [...groups.values()].flatMap((spans) => {
    const sorted = inOrder(since(after, spans));
    return sorted.flatMap((span, index) => {
      const next = sorted[index + 1];
      if (next === undefined || (span.to !== null && span.to <= next.from)) return [];
      return [`${title} ${span.fact} (${show(span)}) and ${next.fact} (${show(next)}) overlap`];
    });
  });
}

function since(seq: number, spans: readonly Span[]): readonly Span[] {
  if (seq === 0) return spans;
  return spans.flatMap((span) =>
    span.to !== null && span.to <= seq ? [] : [{ ...span, from: Math.max(span.from, seq) }],
  );
}

/** When each fact was true, as text; spans that join are one. */
function timesOf(spans: Iterable<Span>): Map<string, string> {
  const times = new Map<string, string>();
  for (const [fact, some] of Map.groupBy(spans, (span) => span.fact)) {
    times.set(fact, joined(inOrder(some)).map(show).join(', '));
  }
  return times;
}

function joined(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans) {
    const last = result.at(-1);
    if (last !== undefined && last.to === span.from) result[result.length - 1] = { ...last, to: span.to };
    else result.push(span);
  }
  return result;
}

const inOrder = (spans: readonly Span[]) => spans.toSorted((a, b) => a.from - b.from);
const show = ({ from, to }: Span) => (to === null ? `from ${from}` : `from ${from} until ${to}`);
