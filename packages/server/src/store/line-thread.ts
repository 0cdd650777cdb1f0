// The thread that reads the lines of streams ahead of the writer.
import { type CheckRequest, LineChecker } from './line-checker.ts';
import type { PackedLines } from './packed-lines.ts';
import { serveThread } from './thread.ts';

const checker = new LineChecker();

serveThread<CheckRequest, PackedLines>({
  serve: async (request) => checker.check(request),
  transfer: ({ numbers, bytes }) => [numbers.buffer, bytes.buffer],
  close: async () => {},
  yields: true,
});
