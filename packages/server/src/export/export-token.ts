// Export tokens. A token names a job of a repository and carries a code that only this server can make, so that nothing
// secret is stored, and a genuine token of a job that is gone can be told from one that never was.
import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

export interface JobName {
  readonly repoId: number;
  /** A UUID. */
  readonly jobId: string;
}

const [REPO_BYTES, JOB_BYTES, CODE_BYTES] = [8, 16, 16];
const NAME_BYTES = REPO_BYTES + JOB_BYTES;

export function encodeExportToken(key: KeyObject, { repoId, jobId }: JobName): string {
  const name = Buffer.alloc(NAME_BYTES);
  name.writeBigUInt64BE(BigInt(repoId));
  name.write(jobId.replaceAll('-', ''), REPO_BYTES, 'hex');
  return Buffer.concat([name, codeOf(key, name)]).toString('base64url');
}

/** `undefined` for what this server did not make. */
export function decodeExportToken(key: KeyObject, token: string): JobName | undefined {
  const bytes = Buffer.from(token, 'base64url');
  // Decoding skips characters that are none of base64url; what it skipped was not from us.
  if (bytes.length !== NAME_BYTES + CODE_BYTES || bytes.toString('base64url') !== token) return undefined;
  const [name, code] = [bytes.subarray(0, NAME_BYTES), bytes.subarray(NAME_BYTES)];
  if (!timingSafeEqual(code, codeOf(key, name))) return undefined;
  const jobId = name.toString('hex', REPO_BYTES).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { repoId: Number(name.readBigUInt64BE()), jobId };
}

function codeOf(key: KeyObject, name: Uint8Array): Buffer {
  return createHmac('sha256', key).update(name).digest().subarray(0, CODE_BYTES);
}
