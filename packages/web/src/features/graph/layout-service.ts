// Moves nodes for whoever asks by messages: in a worker, so that the page stays free, or in the page where no worker can be had.
import forceAtlas2 from 'graphology-layout-forceatlas2';
import iterate from 'graphology-layout-forceatlas2/iterate.js';

/** Begins anew, or asks for where the nodes are by now. */
export type LayoutRequest = LayoutStart | { readonly kind: 'next' };

interface LayoutStart extends Matrices {
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

interface LayoutPort {
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

// Where the nodes of a graph stand: forces move them, a little each time, until they have settled.

/** As the layout's package has them: so many numbers for a node, and for an edge. */
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
/** Among few, what nothing ties to the others is held so near that it does not take the room of their names. */
const FEW = 200;
const GRAVITY_OF_FEW = 0.3;
/** Of many nodes not each is compared with each. */
const MANY = 1_000;
const ITERATIONS_LEAST = 40;
const ITERATIONS_MOST = 500;
/** They have settled when they move by less than this part of how far they are spread. */
const SETTLED = 0.0005;
/** The places of a node in its matrix. */
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
