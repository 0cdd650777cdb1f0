// Moves nodes for whoever asks by messages: in a worker, so that the page stays free, or in the page where no worker can be had.
import { Forces, type Matrices } from './forces.ts';

/** Begins anew, or asks for where the nodes are by now. */
export type LayoutRequest = LayoutStart | { readonly kind: 'next' };

export interface LayoutStart extends Matrices {
  readonly kind: 'start';
  /** Said again with each answer. */
  readonly turn: number;
  /** Whether only the places are wanted at which they have settled. */
  readonly isStill: boolean;
}

export interface LayoutAnswer {
  readonly turn: number;
  readonly nodes: Float32Array;
  readonly isSettled: boolean;
}

export interface LayoutPort {
  postMessage(answer: LayoutAnswer): void;
  onmessage: ((event: MessageEvent<LayoutRequest>) => void) | null;
}

/** So long it works before it looks whether something else is asked for. */
const STRETCH_MS = 16;

export function serveLayout(port: LayoutPort): void {
  let current: LayoutStart | undefined;
  let isAsked = false;
  const work = (start: LayoutStart, forces: Forces) => {
    if (start !== current) return;
    const begun = performance.now();
    while (!forces.isSettled && performance.now() - begun < STRETCH_MS) forces.move();
    const { nodes, isSettled } = forces;
    if (isSettled || (isAsked && !start.isStill)) {
      isAsked = false;
      port.postMessage({ turn: start.turn, nodes: nodes.slice(), isSettled });
    }
    if (!isSettled) setTimeout(() => work(start, forces));
  };
  port.onmessage = ({ data }) => {
    isAsked = true;
    if (data.kind !== 'start') return;
    current = data;
    work(data, new Forces(data));
  };
}
