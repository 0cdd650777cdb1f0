// Downloads by a signed link, where this server keeps the files itself. The link is the whole credential: it names the
// file, its digest and its end, and none of them can be changed.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Context } from '../access/context.ts';
import type { BlobLink, OpenBlob } from './blob-store.ts';

export type { OpenBlob } from './blob-store.ts';

export interface DownloadRequest extends BlobLink {
  readonly signature: string;
}

export async function openDownload({ blobs }: Context, { signature, ...link }: DownloadRequest): Promise<OpenBlob> {
  const { downloads } = blobs;
  if (downloads === undefined || !downloads.check(link, signature) || link.until <= Date.now()) throw linkRefused();
  const opened = await downloads.open(link.key);
  if (opened !== undefined) return opened;
  throw fail('NOT_FOUND', {
    message:
      'This server does not have the file. Redeem the token again; where there are several nodes, they must share CAIRN_BLOBS.',
  });
}

/** One answer for all of it: what was changed, and whether anything was, is nobody's business. */
function linkRefused(): CairnError {
  return fail('FORBIDDEN', {
    message: 'The link has expired, or is not as it was given. Redeem the export token again for a fresh one.',
  });
}
