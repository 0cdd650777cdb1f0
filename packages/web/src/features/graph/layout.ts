// Lays out a graph: a worker moves its nodes (layout-service.ts), and what it has found is drawn when the page has the time.
import helpers from 'graphology-layout-forceatlas2/helpers.js';
import type { AbstractGraph } from 'graphology-types';
import { type LayoutAnswer, type LayoutRequest, serveLayout } from './layout-service.ts';

/** What is drawn faster is drawn as often as it can be; else so many times as long passes before it is drawn again. */
const QUICK_MS = 40;
const REST = 4;

interface LayoutOptions {
  /** Without motion the nodes are shown when they have settled. */
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

  /** Anew, from where the nodes are. */
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
    // Of nodes that may not be there any more.
    if (turn !== this.#turn) return;
    helpers.assignLayoutChanges(this.#graph, nodes, null);
    if (isSettled) this.#options.onSettled();
    else this.#askAfterDrawing(turn);
  };

  /** Where drawing is slow, such as without a graphics card, it gets a part of the time alone. */
  #askAfterDrawing(turn: number): void {
    const begun = performance.now();
    const ask = () => {
      if (turn === this.#turn) this.#ask({ kind: 'next' });
    };
    // It is drawn in the next frame; the one after it comes when the browser is done with that.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        const drawMs = performance.now() - begun;
        if (drawMs <= QUICK_MS) ask();
        else setTimeout(ask, drawMs * (REST - 1));
      }),
    );
  }

  /** Where the worker's script cannot be had, as without a network. */
  readonly #workHere = (): void => {
    const { port1, port2 } = new MessageChannel();
    serveLayout(port1);
    port2.onmessage = this.#take;
    this.#port = port2;
    this.run();
  };
}
