// Lines that were refused. An acknowledgement tells them once; where it was lost on its way, the server is asked for them.
import type { RefusedLine, StreamStatus } from '@cairn/protocol/stream';
import type { RepositoryName } from './export-part.ts';
import type { StreamSurface } from './stream.ts';
import type { Backlog } from './stream-backlog.ts';
import type { StreamOptions } from './stream-options.ts';

interface Refusing {
  readonly backlog: Backlog;
  readonly options: StreamOptions;
}

/** Of lines that are in the backlog. */
export function tellRefused({ backlog, options }: Refusing, refused: readonly RefusedLine[]): void {
  if (options.onRefused === undefined || refused.length === 0) return;
  const texts = backlog.textOf(refused.map(({ line }) => line));
  for (const line of refused) options.onRefused({ ...line, text: texts.get(line.line) ?? '' });
}

interface Missing extends Refusing {
  readonly surface: StreamSurface;
  readonly repo: RepositoryName;
  readonly streamId: string;
}

/** Those that came with the status, and those after them. Each line that is told is let go of, and so is told once. */
export async function tellMissed(missing: Missing, { refused, offset }: StreamStatus): Promise<void> {
  const { surface, repo, streamId, options } = missing;
  let page = refused ?? [];
  while (page.length > 0) {
    for (const refusal of page) {
      if (refusal.line > missing.backlog.offset && refusal.line <= offset) await tellOne(missing, refusal);
    }
    const refusedAfter = page.at(-1)?.line ?? offset;
    if (refusedAfter >= offset) return;
    const asked = { refusedAfter, signal: options.signal };
    page = (await surface.status(repo.orgName, repo.repoName, streamId, asked)).refused ?? [];
  }
}

async function tellOne(missing: Missing, refused: RefusedLine): Promise<void> {
  const { backlog } = missing;
  await backlog.dropTo(refused.line - 1);
  // Read where it was not.
  await backlog.take(refused.line - 1);
  tellRefused(missing, [refused]);
  await backlog.dropTo(refused.line);
}
