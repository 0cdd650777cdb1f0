// Where the nodes of a graph stand: forces move them, a little each time, until they have settled.
import forceAtlas2 from 'graphology-layout-forceatlas2';
import iterate from 'graphology-layout-forceatlas2/iterate.js';

/** As the layout's package has them: so many numbers for a node, and for an edge. */
export interface Matrices {
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
