/** One thing that is wrong, and where: `path` is a JSON pointer, '' for the whole. */
export interface Problem {
  readonly path: string;
  readonly message: string;
}
