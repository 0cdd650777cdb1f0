// The thread that parses lines of streams ahead of the writer.

import { serveThread, type ThreadService } from '../engine/thread.ts';
import { type CheckRequest, LineChecker } from './line-checker.rule.ts';
import type { PackedLines } from './packed-lines.rule.ts';

function openLineChecker(): ThreadService<CheckRequest, PackedLines> {
  const checker = new LineChecker();
  return {
    serve: async (request) => checker.check(request),
    transfer: ({ numbers, bytes }) => [numbers.buffer, bytes.buffer],
    close: async () => {},
  };
}

serveThread(openLineChecker, { yields: true });
