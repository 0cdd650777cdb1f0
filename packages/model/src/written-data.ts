// Data that was validated and serialized before its operation is applied. Its canonical text is cut at the wrefs,
// because only the operation can resolve them.

export interface WrittenData {
  /** The hash of the shape definition that validated the data. */
  readonly definition: Uint8Array;
  /** The canonical text before, between and after the wrefs. */
  readonly pieces: readonly string[];
  /** In the order in which the data was sent. */
  readonly wrefs: readonly WrittenWref[];
  /** The index into `wrefs` for each gap between pieces. */
  readonly order: readonly number[];
  /** The hash of the text, if it has no wrefs. */
  readonly hash: Uint8Array | undefined;
  /** The index key of each indexed field that holds no wref. */
  readonly keys: readonly (Uint8Array | undefined)[];
  /** The paths of these fields; one shared list for all data of a definition. */
  readonly keyPaths: readonly string[];
}

export interface WrittenWref {
  /** An index into the wref fields of the shape. */
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

/** The data as sent, except for the order of keys. */
export function parseWritten(written: WrittenData): unknown {
  const texts = written.wrefs.map(({ text }) => text);
  return JSON.parse(writeWrefs(written, texts));
}
