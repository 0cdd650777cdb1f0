// What can stand where the cursor is, in JSON that is being written.

export interface Offered {
  readonly label: string;
  readonly detail?: string;
}

export interface Completions {
  readonly from: number;
  readonly to: number;
  readonly options: readonly Offered[];
}

export interface Cursor {
  readonly text: string;
  readonly place: number;
  /** By a key, and not by what was typed. */
  readonly isAsked: boolean;
}

export type Complete = (cursor: Cursor) => Completions | undefined;

/** The quote that was closed by itself goes with what stands before it. */
export function offered(
  text: string,
  { from, to }: { from: number; to: number },
  options: readonly Offered[],
): Completions {
  const isClosed = text[from] === '"' && text[to] === '"' && to > from;
  return { from, to: isClosed ? to + 1 : to, options };
}
