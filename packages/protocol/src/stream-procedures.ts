// Procedures on streams: those that go in, and the one that comes out.
import { z } from 'zod';
import { ACCESS } from './access.ts';
import { liveTicket } from './live.ts';
import type { ProcedureRow } from './procedure-row.ts';
import { repoAddress } from './repository.ts';
import { streamAddress, streamStatus, streamStatusInput } from './stream.ts';

export const STREAM_PROCEDURES = {
  'stream.status': {
    summary: 'How far a stream of your own is: where to go on after a cut. Needs `repo:write`.',
    access: ACCESS.commit,
    input: streamStatusInput,
    output: streamStatus,
  },
  'stream.close': {
    summary: 'Ends a stream of your own: it takes no more lines, and its tokens are forgotten. Needs `repo:write`.',
    access: ACCESS.commit,
    input: streamAddress,
    output: streamStatus,
  },
  'live.issueTicket': {
    summary: 'A ticket that opens the live stream of a repository, once, within a minute. Needs `repo:read`.',
    access: ACCESS.read,
    input: z.strictObject(repoAddress),
    output: liveTicket,
  },
} as const satisfies Record<string, ProcedureRow>;
