// Data that was checked and written down before its operation is applied: its canonical text, cut where wrefs stand, since
// what they mean is known only then.

export interface WrittenData {
  /** The hash of the definition that it was checked against. */
  readonly definition: Uint8Array;
  /** Of the canonical text: what stands before, between and after the wrefs. */
  readonly pieces: readonly string[];
  /** In the order in which the data was sent. */
  readonly wrefs: readonly WrittenWref[];
  /** For each gap between pieces, which of the wrefs stands there. */
  readonly order: readonly number[];
  /** Of the text, where it has no wrefs. */
  readonly hash: Uint8Array | undefined;
  /** For each indexed field that holds no wref, what the index knows its value by. */
  readonly keys: readonly (Uint8Array | undefined)[];
  /** Where these fields are; the same list for all data of a definition. */
  readonly keyPaths: readonly string[];
}

export interface WrittenWref {
  /** Which of the places of its shape that hold wrefs. */
  readonly place: number;
  readonly text: string;
}

/** The canonical text, with other texts in place of the wrefs. */
export function writeWrefs({ pieces, order }: WrittenData, texts: readonly string[]): string {
  let text = pieces[0] ?? '';
  for (let gap = 0; gap < order.length; gap++) {
    text += JSON.stringify(texts[order[gap] ?? 0]) + (pieces[gap + 1] ?? '');
  }
  return text;
}

/** The data as it was sent, but for the order of keys. */
export function parseWritten(written: WrittenData): unknown {
  const texts = written.wrefs.map(({ text }) => text);
  return JSON.parse(writeWrefs(written, texts));
}
