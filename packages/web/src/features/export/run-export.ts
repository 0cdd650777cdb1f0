import type { ExportHeader } from '@cairn/sdk';
import { client } from '../../app/session.ts';
import type { Bytes, Target } from './target.ts';

export interface ExportRequest {
  readonly orgName: string;
  readonly repoName: string;
  readonly atRepoSeq?: number | undefined;
  readonly sinceRepoSeq?: number | undefined;
}

export interface Progress {
  readonly step: 'receiving' | 'checking';
  readonly rows: number;
  readonly bytes: number;
  readonly atRepoSeq?: number | undefined;
}

export interface Exported {
  readonly atRepoSeq: number;
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

interface Run {
  readonly request: ExportRequest;
  readonly target: Target;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/** The SDK resumes after a cut. The saved file is read back and its hash compared. */
export async function runExport(run: Run): Promise<Exported> {
  const { target, signal, onProgress } = run;
  try {
    const { header, rows, bytes, sha256 } = await receive(run);
    signal.throwIfAborted();
    onProgress({ step: 'checking', rows, bytes, atRepoSeq: header?.atRepoSeq });
    const saved = await target.finish();
    const found = await digestOf(saved, signal);
    if (header === undefined || found !== sha256) throw new SavedOtherwise();
    return { atRepoSeq: header.atRepoSeq, rows, bytes, sha256 };
  } catch (error) {
    await target.abandon().catch(() => undefined);
    throw error;
  }
}

async function receive({ request, target, signal, onProgress }: Run) {
  const { orgName, repoName, ...range } = request;
  const sha256 = createSha256();
  const came: { header?: ExportHeader; rows: number; bytes: number } = { rows: 0, bytes: 0 };
  for await (const part of client.repo.exportLines(orgName, repoName, { ...range, signal })) {
    if (part.type === 'header') came.header = part.header;
    if (part.type === 'rows') came.rows += part.count;
    came.bytes += part.lines.length;
    sha256.update(part.lines);
    await target.write(part.lines as Bytes);
    onProgress({ step: 'receiving', rows: came.rows, bytes: came.bytes, atRepoSeq: came.header?.atRepoSeq });
  }
  return { header: came.header, rows: came.rows, bytes: came.bytes, sha256: sha256.digest() };
}

async function digestOf(saved: Blob, signal: AbortSignal): Promise<string> {
  const sha256 = createSha256();
  const reader = saved.stream().getReader();
  for (;;) {
    signal.throwIfAborted();
    const { done, value } = await reader.read();
    if (done) return sha256.digest();
    sha256.update(value);
  }
}

class SavedOtherwise extends Error {
  constructor() {
    super(
      'The saved file differs from the data that the server sent. The disk may be full: free some space, and export again.',
    );
  }
}

// SHA-256 in pieces (FIPS 180-4): Web Crypto needs all data at once, and an export does not fit into memory.

const BLOCK_BYTES = 64;
const LENGTH_BYTES = 8;

export function createSha256(): { update(bytes: Uint8Array): void; digest(): string } {
  const state = Int32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));
  const block = new Uint8Array(BLOCK_BYTES);
  const view = new DataView(block.buffer);
  let used = 0;
  let total = 0;
  const update = (bytes: Uint8Array): void => {
    total += bytes.length;
    for (let from = 0; from < bytes.length; ) {
      const piece = bytes.subarray(from, from + BLOCK_BYTES - used);
      block.set(piece, used);
      used += piece.length;
      from += piece.length;
      if (used < BLOCK_BYTES) return;
      mix(state, view);
      used = 0;
    }
  };
  const digest = (): string => {
    const bits = BigInt(total) * 8n;
    const padding = new Uint8Array(((2 * BLOCK_BYTES - LENGTH_BYTES - 1 - used) % BLOCK_BYTES) + 1);
    padding[0] = 0x80;
    update(padding);
    const length = new Uint8Array(LENGTH_BYTES);
    new DataView(length.buffer).setBigUint64(0, bits);
    update(length);
    return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
  };
  return { update, digest };
}

function primes(count: number): number[] {
  const found: number[] = [];
  for (let next = 2; found.length < count; next += 1) {
    if (found.every((prime) => next % prime !== 0)) found.push(next);
  }
  return found;
}

const fraction = (root: number): number => ((root % 1) * 2 ** 32) | 0;
const ROUNDS = 64;
const CONSTANTS = Int32Array.from(primes(ROUNDS), (prime) => fraction(Math.cbrt(prime)));
const schedule = new Int32Array(ROUNDS);
const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

function mix(state: Int32Array, block: DataView): void {
  for (let round = 0; round < 16; round += 1) schedule[round] = block.getInt32(4 * round);
  for (let round = 16; round < ROUNDS; round += 1) {
    const near = schedule[round - 2] as number;
    const far = schedule[round - 15] as number;
    const one = turned(near, 17) ^ turned(near, 19) ^ (near >>> 10);
    const two = turned(far, 7) ^ turned(far, 18) ^ (far >>> 3);
    schedule[round] = one + (schedule[round - 7] as number) + two + (schedule[round - 16] as number);
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as Words;
  for (let round = 0; round < ROUNDS; round += 1) {
    const sum = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const first = (h + sum + ((e & f) ^ (~e & g)) + (CONSTANTS[round] as number) + (schedule[round] as number)) | 0;
    const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b] = [g, f, e, (d + first) | 0, c, b, a];
    a = (first + second) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    state[index] = (state[index] as number) + word;
  });
}

type Words = [number, number, number, number, number, number, number, number];
