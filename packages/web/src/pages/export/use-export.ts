import { useCallback, useEffect, useRef, useState } from 'react';
import { type Exported, type ExportRequest, type Progress, runExport } from './run-export.ts';
import { chooseTarget } from './target.ts';

export type ExportState =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly progress: Progress }
  | { readonly state: 'stopped' }
  | { readonly state: 'done'; readonly exported: Exported }
  | { readonly state: 'failed'; readonly error: unknown };

/** So often at most what is shown is drawn anew. */
const DRAWN_MS = 100;

/** One export at a time; it ends when the page is left. */
export function useExport() {
  const [state, setState] = useState<ExportState>({ state: 'idle' });
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const start = useCallback(async (request: ExportRequest, fileName: string) => {
    const controller = new AbortController();
    try {
      const target = await chooseTarget(fileName);
      if (target === undefined) return;
      running.current = controller;
      setState({ state: 'running', progress: { step: 'receiving', rows: 0, bytes: 0 } });
      const onProgress = seldom((progress) => setState({ state: 'running', progress }));
      const exported = await runExport({ request, target, signal: controller.signal, onProgress });
      setState({ state: 'done', exported });
    } catch (error) {
      setState(controller.signal.aborted ? { state: 'stopped' } : { state: 'failed', error });
    }
  }, []);
  const stop = useCallback(() => running.current?.abort(), []);
  return { state, start, stop };
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
