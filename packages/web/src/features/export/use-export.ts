import { useState } from 'react';
import type { Sight } from '../../app/sight.ts';
import { beginWork, stopWork, useWorkOf, type Work } from '../../app/work.ts';
import { type Exported, type ExportRequest, type Progress, runExport } from './run-export.ts';
import { chooseTarget, type Target } from './target.ts';

export type ExportState =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly progress: Progress }
  | { readonly state: 'stopped' }
  | { readonly state: 'done'; readonly exported: Exported }
  | { readonly state: 'failed'; readonly error: unknown };

/** So often at most what is shown is drawn anew. */
const DRAWN_MS = 100;

/** One export of a repository at a time; it goes on while other pages are looked at. */
export function useExport({ orgName, repoName }: Sight) {
  const href = `/${orgName}/${repoName}/export`;
  const work = useWorkOf(href);
  const [problem, setProblem] = useState<unknown>();
  const start = async (request: ExportRequest, fileName: string) => {
    setProblem(undefined);
    try {
      const target = await chooseTarget(fileName);
      if (target !== undefined) begin(href, { request, target });
    } catch (error) {
      setProblem(error);
    }
  };
  const stop = () => {
    if (work !== undefined) stopWork(work.id);
  };
  const state: ExportState = problem === undefined ? stateOf(work) : { state: 'failed', error: problem };
  return { state, start, stop };
}

function begin(href: string, { request, target }: { readonly request: ExportRequest; readonly target: Target }) {
  beginWork({
    what: `Export of ${request.orgName}/${request.repoName}`,
    href,
    run: async ({ signal, tell }) => {
      const onProgress = seldom((progress) => tell(`${progress.rows.toLocaleString('en')} rows`, progress));
      const result = await runExport({ request, target, signal, onProgress });
      return { told: `Whole: ${result.rows.toLocaleString('en')} rows.`, result };
    },
  });
}

const BEGUN: Progress = { step: 'receiving', rows: 0, bytes: 0 };

function stateOf(work: Work | undefined): ExportState {
  if (work === undefined) return { state: 'idle' };
  const { now, progress } = work;
  if (now.state === 'running') return { state: 'running', progress: (progress as Progress | undefined) ?? BEGUN };
  return now.state === 'done' ? { state: 'done', exported: now.outcome.result as Exported } : now;
}

/** Parts come faster than anybody could read; a new step is told at once. */
function seldom(tell: (progress: Progress) => void): (progress: Progress) => void {
  let last: { readonly at: number; readonly step: Progress['step'] } | undefined;
  return (progress) => {
    const at = performance.now();
    if (last?.step === progress.step && at - last.at < DRAWN_MS) return;
    last = { at, step: progress.step };
    tell(progress);
  };
}
