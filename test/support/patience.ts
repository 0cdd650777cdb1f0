/** How long tests wait for what must come: on a machine that does much else, far longer than it takes. */
export const PATIENCE_MS = 120_000;
