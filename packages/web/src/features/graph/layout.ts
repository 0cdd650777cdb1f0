// Drives the layout worker and applies its positions when the page has time.
import helpers from 'graphology-layout-forceatlas2/helpers.js';
import type { AbstractGraph } from 'graphology-types';
import { type LayoutAnswer, type LayoutRequest, serveLayout } from './layout-service.ts';

/** If a frame takes longer, the layout rests for a multiple of that. */
const QUICK_MS = 40;
const REST = 4;

interface LayoutOptions {
  readonly isStill: boolean;
  readonly onSettled: () => void;
}

export class Layout {
  readonly #graph: AbstractGraph;
  readonly #options: LayoutOptions;
  readonly #worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' });
  #port: Worker | MessagePort = this.#worker;
  #turn = 0;

  constructor(graph: AbstractGraph, options: LayoutOptions) {
    this.#graph = graph;
    this.#options = options;
    this.#worker.onmessage = this.#take;
    this.#worker.onerror = this.#workHere;
  }

  run(): void {
    this.#turn++;
    const { isStill } = this.#options;
    this.#ask({ kind: 'start', turn: this.#turn, isStill, ...helpers.graphToByteArrays(this.#graph, () => 1) });
  }

  end(): void {
    this.#turn++;
    this.#worker.terminate();
    if (this.#port instanceof MessagePort) this.#port.close();
  }

  #ask(request: LayoutRequest): void {
    this.#port.postMessage(request);
  }

  readonly #take = ({ data }: MessageEvent<LayoutAnswer>): void => {
    const { turn, nodes, isSettled } = data;
    if (turn !== this.#turn) return;
    helpers.assignLayoutChanges(this.#graph, nodes, null);
    if (isSettled) this.#options.onSettled();
    else this.#askAfterDrawing(turn);
  };

  #askAfterDrawing(turn: number): void {
    const begun = performance.now();
    const ask = () => {
      if (turn === this.#turn) this.#ask({ kind: 'next' });
    };
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const drawMs = performance.now() - begun;
        if (drawMs <= QUICK_MS) ask();
        else setTimeout(ask, drawMs * (REST - 1));
      }),
    );
  }

  /** The worker's script may be unavailable offline. */
  readonly #workHere = (): void => {
    const { port1, port2 } = new MessageChannel();
    serveLayout(port1);
    port2.onmessage = this.#take;
    this.#port = port2;
    this.run();
  };
}
