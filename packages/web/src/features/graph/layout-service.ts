// Runs the layout in a worker, or in the page where there is none.
import forceAtlas2 from 'graphology-layout-forceatlas2';
import iterate from 'graphology-layout-forceatlas2/iterate.js';

export type LayoutRequest = LayoutStart | { readonly kind: 'next' };

interface LayoutStart extends Matrices {
  readonly kind: 'start';
  readonly turn: number;
  readonly isStill: boolean;
}

export interface LayoutAnswer {
  readonly turn: number;
  readonly nodes: Float32Array;
  readonly isSettled: boolean;
}

interface LayoutPort {
  postMessage(answer: LayoutAnswer): void;
  onmessage: ((event: MessageEvent<LayoutRequest>) => void) | null;
}

/** The worker looks for new messages this often. */
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

interface Matrices {
  readonly nodes: Float32Array;
  readonly edges: Float32Array;
}

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
/** In small graphs, unconnected nodes stay near. */
const FEW = 200;
const GRAVITY_OF_FEW = 0.3;
/** Larger graphs are approximated (Barnes-Hut). */
const MANY = 1_000;
const ITERATIONS_LEAST = 40;
const ITERATIONS_MOST = 500;
/** Settled below this movement, relative to the spread. */
const SETTLED = 0.0005;
const STRIDE = 10;

export class Forces {
  readonly nodes: Float32Array;
  readonly #edges: Float32Array;
  readonly #settings: typeof DEFAULTS;
  #count = 0;
  isSettled: boolean;

  constructor({ nodes, edges }: Matrices) {
    const order = nodes.length / STRIDE;
    this.nodes = nodes;
    this.#edges = edges;
    this.#settings = {
      ...DEFAULTS,
      ...forceAtlas2.inferSettings(order),
      ...(order <= FEW && { gravity: GRAVITY_OF_FEW }),
      barnesHutOptimize: order > MANY,
    };
    this.isSettled = order < 2;
  }

  move(): void {
    const before = this.nodes.slice();
    iterate(this.#settings, this.nodes, this.#edges);
    this.#count++;
    const isStill = this.#count >= ITERATIONS_LEAST && movement(before, this.nodes) < SETTLED;
    this.isSettled = isStill || this.#count >= ITERATIONS_MOST;
  }
}

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
