// Where the nodes stand: forces move them a little in each frame, until they have settled. They are moved here and not in a
// worker, which the policy of the page does not allow, and for no longer than a frame has room.
import forceAtlas2 from 'graphology-layout-forceatlas2';
import helpers from 'graphology-layout-forceatlas2/helpers.js';
import iterate from 'graphology-layout-forceatlas2/iterate.js';
import type { AbstractGraph } from 'graphology-types';

const DEFAULTS = {
  linLogMode: false,
  outboundAttractionDistribution: false,
  adjustSizes: false,
  edgeWeightInfluence: 1,
  scalingRatio: 10,
  strongGravityMode: true,
  gravity: 0.05,
  slowDown: 1,
  barnesHutOptimize: false,
  barnesHutTheta: 0.5,
};
/** Of many nodes not each is compared with each. */
const MANY = 1_000;
/** What one frame gives to the layout. */
const FRAME_MS = 12;
/** What is drawn faster is drawn in each frame; else so many times as long passes before it is drawn again. */
const QUICK_MS = 40;
const REST = 4;
const ITERATIONS_LEAST = 40;
const ITERATIONS_MOST = 500;
/** They have settled when they move by less than this part of how far they are spread. */
const SETTLED = 0.0005;
/** The places of a node in the matrix of the layout. */
const STRIDE = 10;

interface LayoutOptions {
  /** Without motion the nodes are shown when they have settled. */
  readonly isStill: boolean;
  readonly onSettled: () => void;
}

export class Layout {
  readonly #graph: AbstractGraph;
  readonly #options: LayoutOptions;
  #frame: number | undefined;
  #drawnAt = 0;
  #drawMs: number | undefined;

  constructor(graph: AbstractGraph, options: LayoutOptions) {
    this.#graph = graph;
    this.#options = options;
  }

  /** Anew, from where the nodes are. */
  run(): void {
    this.stop();
    const { nodes, edges } = helpers.graphToByteArrays(this.#graph, () => 1);
    const { order } = this.#graph;
    const settings = { ...DEFAULTS, ...forceAtlas2.inferSettings(order), barnesHutOptimize: order > MANY };
    let count = 0;
    const move = () => {
      const before = nodes.slice();
      iterate(settings, nodes, edges);
      count++;
      return count >= ITERATIONS_MOST || (count >= ITERATIONS_LEAST && movement(before, nodes) < SETTLED);
    };
    const step = () => {
      const begun = performance.now();
      let isSettled = order < 2;
      while (!isSettled && performance.now() - begun < FRAME_MS) isSettled = move();
      if (isSettled || this.#isTimeToDraw(begun)) {
        helpers.assignLayoutChanges(this.#graph, nodes, null);
        this.#drawnAt = performance.now();
        this.#drawMs = undefined;
      }
      this.#frame = isSettled ? undefined : requestAnimationFrame(step);
      if (isSettled) this.#options.onSettled();
    };
    this.#frame = requestAnimationFrame(step);
  }

  /** Where drawing is slow, such as without a graphics card, it gets a part of the time alone. */
  #isTimeToDraw(now: number): boolean {
    if (this.#options.isStill) return false;
    const since = now - this.#drawnAt;
    // The first frame after one that was drawn comes when the browser is done with it.
    this.#drawMs ??= since;
    return this.#drawMs <= QUICK_MS || since >= this.#drawMs * REST;
  }

  stop(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
  }
}

/** How far the nodes moved on the average, as part of how far they are spread. */
export function movement(before: Float32Array, after: Float32Array): number {
  let [sum, least, most] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let place = 0; place < after.length; place += STRIDE) {
    const [x = 0, y = 0] = [after[place], after[place + 1]];
    sum += Math.hypot(x - (before[place] ?? 0), y - (before[place + 1] ?? 0));
    least = Math.min(least, x, y);
    most = Math.max(most, x, y);
  }
  const spread = most - least;
  return spread > 0 ? sum / (after.length / STRIDE) / spread : 0;
}
