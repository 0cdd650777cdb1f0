// Writes an export to disk as it arrives, or collects it for a download where the browser cannot do that.

/** Network data is never shared memory. */
export type Bytes = Uint8Array<ArrayBuffer>;

export interface Target {
  write(bytes: Bytes): Promise<void>;
  finish(): Promise<Blob>;
  abandon(): Promise<void>;
}

interface SaveAs {
  readonly suggestedName: string;
  readonly types: readonly {
    readonly description: string;
    readonly accept: Readonly<Record<string, readonly string[]>>;
  }[];
}

declare global {
  interface Window {
    showSaveFilePicker?(options: SaveAs): Promise<FileSystemFileHandle>;
  }
}

export const isStreamed = (): boolean => window.showSaveFilePicker !== undefined;
export const KEPT_BYTES_MAX = 500 * 1024 * 1024;

/** `undefined` if the user cancels. */
export async function chooseTarget(fileName: string): Promise<Target | undefined> {
  if (window.showSaveFilePicker === undefined) return keptTarget(fileName);
  const types = [{ description: 'NDJSON', accept: { 'application/x-ndjson': ['.ndjson'] } }];
  try {
    return await fileTarget(await window.showSaveFilePicker({ suggestedName: fileName, types }));
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    throw error;
  }
}

async function fileTarget(handle: FileSystemFileHandle): Promise<Target> {
  const file = await handle.createWritable();
  return {
    write: (bytes) => file.write(bytes),
    finish: async () => {
      await file.close();
      return await handle.getFile();
    },
    abandon: () => file.abort(),
  };
}

/** Browsers keep large blobs on disk, and small ones in memory. */
const PIECES_MAX_BYTES = 8 * 1024 * 1024;

function keptTarget(fileName: string): Target {
  let whole = new Blob();
  let pieces: Bytes[] = [];
  let bytes = 0;
  const gather = () => {
    whole = new Blob([whole, ...pieces], { type: 'application/x-ndjson' });
    [pieces, bytes] = [[], 0];
  };
  return {
    write: async (piece) => {
      pieces.push(piece);
      bytes += piece.length;
      if (whole.size + bytes > KEPT_BYTES_MAX) throw new TooLarge();
      if (bytes > PIECES_MAX_BYTES) gather();
    },
    finish: async () => {
      gather();
      download(whole, fileName);
      return whole;
    },
    abandon: async () => {
      [whole, pieces] = [new Blob(), []];
    },
  };
}

export class TooLarge extends Error {
  constructor() {
    super('The export is larger than 500 MB, which is too large for this browser. Use the command below.');
  }
}

/** By then the browser has begun to save it. */
const SAVED_MS = 60_000;

function download(blob: Blob, fileName: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), SAVED_MS);
}
