/** Time limit of a test that waits for an event. It is generous, because a busy machine can be far slower than usual. */
export const PATIENCE_MS = 120_000;
