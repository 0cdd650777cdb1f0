// Long tasks (exports, imports, installs) that continue while other pages are shown.
import { useSyncExternalStore } from 'react';

export type WorkState =
  | { readonly state: 'running' }
  | { readonly state: 'done'; readonly outcome: WorkOutcome }
  | { readonly state: 'stopped' }
  | { readonly state: 'failed'; readonly error: unknown };

interface WorkOutcome {
  readonly told: string;
  readonly refused?: number;
  readonly isCut?: boolean;
  readonly result?: unknown;
}

export interface Work {
  readonly id: number;
  readonly what: string;
  readonly href: string;
  readonly told: string;
  readonly progress?: unknown;
  readonly now: WorkState;
}

interface Begun {
  readonly what: string;
  readonly href: string;
  readonly run: (tools: {
    readonly signal: AbortSignal;
    readonly tell: (told: string, progress?: unknown) => void;
  }) => Promise<WorkOutcome>;
}

let works: readonly Work[] = [];
const listeners = new Set<() => void>();
const controllers = new Map<number, AbortController>();
let last = 0;

function set(next: readonly Work[]) {
  works = next;
  guard();
  for (const listener of listeners) listener();
}

const change = (id: number, changed: Partial<Work>) =>
  set(works.map((work) => (work.id === id ? { ...work, ...changed } : work)));

const warn = (event: BeforeUnloadEvent) => event.preventDefault();
function guard() {
  const isBusy = works.some(({ now }) => now.state === 'running');
  if (isBusy) window.addEventListener('beforeunload', warn);
  else window.removeEventListener('beforeunload', warn);
}

export function beginWork({ what, href, run }: Begun): number {
  last += 1;
  const id = last;
  const controller = new AbortController();
  controllers.set(id, controller);
  set([...works, { id, what, href, told: 'Starting', now: { state: 'running' } }]);
  const tell = (told: string, progress?: unknown) => change(id, { told, progress });
  run({ signal: controller.signal, tell })
    .then(
      (outcome) => change(id, { now: { state: 'done', outcome } }),
      (error: unknown) =>
        change(id, { now: controller.signal.aborted ? { state: 'stopped' } : { state: 'failed', error } }),
    )
    .finally(() => controllers.delete(id));
  return id;
}

export const stopWork = (id: number) => controllers.get(id)?.abort();
export const forgetWork = (id: number) => set(works.filter((work) => work.id !== id || work.now.state === 'running'));

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function summaryOfWorks(all: readonly Pick<Work, 'now'>[]): string {
  const running = all.filter(({ now }) => now.state === 'running').length;
  if (running > 0) return `${running} running`;
  const failed = all.filter(({ now }) => now.state === 'failed').length;
  const cut = all.filter(({ now }) => now.state === 'done' && now.outcome.isCut === true).length;
  const refused = all.reduce((sum, { now }) => sum + (now.state === 'done' ? (now.outcome.refused ?? 0) : 0), 0);
  const wrong = [
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(cut > 0 ? [`${cut} stopped`] : []),
    ...(refused > 0 ? [`${refused.toLocaleString('en')} rejected`] : []),
  ];
  return wrong.length === 0 ? 'done' : wrong.join(', ');
}

export const useWorkOf = (path: string): Work | undefined => useWorks().findLast(({ href }) => href === path);
export const useWorks = (): readonly Work[] => useSyncExternalStore(subscribe, () => works);
