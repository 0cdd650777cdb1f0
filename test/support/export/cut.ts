// A stream that is cut at arbitrary bytes again and again, and resumes after the last complete row received.
import type { ExportRow } from '@cairn/protocol/export';

export type AskExport = (query: string) => Promise<Uint8Array>;

interface Received {
  readonly rows: Uint8Array;
  readonly last: ExportRow | undefined;
  readonly isWhole: boolean;
}

const NEWLINE = 10;

/** Keeps complete lines, without the header and the end mark. */
export function receivedOf(body: Uint8Array): Received {
  const whole = body.subarray(0, body.lastIndexOf(NEWLINE) + 1);
  const start = whole.indexOf(NEWLINE) + 1;
  const lastStart = whole.subarray(0, -1).lastIndexOf(NEWLINE) + 1;
  const last = parse(whole.subarray(lastStart));
  const isWhole = last?.type === 'end';
  const rows = whole.subarray(start, isWhole ? lastStart : undefined);
  return { rows, isWhole, last: rows.length === 0 ? undefined : lastRowOf(rows) };
}

const parse = (line: Uint8Array) => (line.length === 0 ? undefined : JSON.parse(Buffer.from(line).toString()));

function lastRowOf(rows: Uint8Array): ExportRow {
  return parse(rows.subarray(rows.subarray(0, -1).lastIndexOf(NEWLINE) + 1));
}

/** All rows, received with one request more than there are cuts. Each cut is a share of the bytes still to come. */
export async function receiveInPieces(ask: AskExport, pin: string, cuts: readonly number[]): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let place = '';
  for (const cut of [...cuts, 1]) {
    const body = await ask(`${pin}${place}`);
    const { rows, last, isWhole } = receivedOf(body.subarray(0, Math.ceil(cut * body.length)));
    pieces.push(rows);
    if (isWhole) break;
    if (last !== undefined) place = `&formatVersion=1${afterRow(last)}`;
  }
  return Buffer.concat(pieces);
}

export function afterRow({ kind, durableId, version }: ExportRow): string {
  return `&afterDurableId=${durableId}${kind === 'shape' ? `&afterVersion=${version}` : ''}`;
}
