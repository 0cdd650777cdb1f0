// Exports as jobs: the server builds a file, which is then downloaded from a signed URL.
import type { ExportComplete, ExportMinted, ExportPending } from '@cairn/protocol/export';
import { type ExportRange, exportPath, type RepositoryName } from './export-part.ts';
import { type Http, jsonOf } from './http.ts';
import { createTries, pause, until } from './retry.ts';

/** Of what an export job is begun. */
export interface MintExport extends ExportRange {
  readonly signal?: AbortSignal | undefined;
}

export interface ExportJob {
  readonly http: Http;
  readonly repo: RepositoryName;
  readonly exportToken: string;
  readonly signal: AbortSignal | undefined;
  /** Told how far the job is, each time that it is not complete. */
  readonly onState: (state: ExportPending['state']) => void;
}

export async function mintExport(
  http: Http,
  repo: RepositoryName,
  { sinceRepoSeq, atRepoSeq, signal }: MintExport,
): Promise<ExportMinted> {
  // Equal jobs share one file, so that minting twice does no harm: after a cut it is asked again.
  return await until(createTries(http.retry, signal), 0, async () =>
    jsonOf<ExportMinted>(await http.get(exportPath(repo), { prefer: 'async', sinceRepoSeq, atRepoSeq }, { signal })),
  );
}

const POLL_SECONDS = 1;

/** Waits until the job is complete. Each call is given a URL of its own, which lives for some minutes. */
export async function redeemExport(job: ExportJob): Promise<ExportComplete> {
  const tryAgain = createTries(job.http.retry, job.signal);
  for (let answers = 0; ; answers += 1) {
    const { answered, retryAfter } = await until(tryAgain, answers, () => poll(job));
    if ('url' in answered) return answered;
    job.onState(answered.state);
    await pause(retryAfter * 1_000, job.signal);
  }
}

async function poll({ http, repo, exportToken, signal }: ExportJob) {
  const answer = await http.get(exportPath(repo), { token: exportToken }, { signal });
  const retryAfter = Number(answer.headers.get('retry-after') ?? POLL_SECONDS);
  return { answered: await jsonOf<ExportComplete | ExportPending>(answer), retryAfter };
}
