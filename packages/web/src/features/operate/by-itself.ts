/** What is called at one moment is sent in one request, and answered together: what is quick must not wait for what counts. */
export const byItself = () => new Promise((turn) => setTimeout(turn));
