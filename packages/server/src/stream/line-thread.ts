// The thread that parses lines of streams ahead of the writer.

import type { PackedLines } from '../commit/packed-lines.rule.ts';
import { serveThread, type ThreadService } from '../engine/thread.ts';
import { type CheckRequest, LineChecker } from './line-checker.rule.ts';

function openLineChecker(): ThreadService<CheckRequest, PackedLines> {
  const checker = new LineChecker();
  return {
    serve: async (request) => checker.check(request),
    transfer: ({ numbers, bytes }) => [numbers.buffer, bytes.buffer],
    close: async () => {},
  };
}

serveThread(openLineChecker, { yields: true });
