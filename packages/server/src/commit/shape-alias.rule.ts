// Names of shapes that may come to mean each other within a commit, because it renames shapes. Records are fetched before
// the first operation is applied, so everything that a name could mean by then must be at hand.

export class ShapeAliases {
  readonly #groups = new Map<string, Set<string>>();

  constructor(renames: Iterable<readonly [oldName: string, newName: string]>) {
    for (const [oldName, newName] of renames) {
      const joined = new Set([...this.of(oldName), ...this.of(newName)]);
      for (const name of joined) this.#groups.set(name, joined);
    }
  }

  /** The name itself, and every other that it could mean. */
  of(shapeName: string): readonly string[] {
    const group = this.#groups.get(shapeName);
    return group === undefined ? [shapeName] : [...group];
  }
}
