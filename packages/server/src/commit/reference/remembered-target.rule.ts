// What wrefs meant when they were last used in a commit: many records refer to the same one.
import type { Head, RecordSet } from '../record-set.sql.ts';
import type { Resolved } from './target-set.sql.ts';

/** What a text meant, and the state of the commit that it meant that in. */
interface Remembered {
  readonly resolved: Resolved;
  readonly head: Head | undefined;
  readonly version: number | undefined;
  readonly active: boolean | undefined;
  readonly renameCount: number;
}

export class RememberedTargets {
  readonly #records: RecordSet;
  readonly #byText = new Map<string, Remembered>();

  constructor(records: RecordSet) {
    this.#records = records;
  }

  /** `undefined` when the commit has changed the target since, or any name. */
  find(text: string): Resolved | undefined {
    const known = this.#byText.get(text);
    if (known === undefined || known.renameCount !== this.#records.renameCount) return undefined;
    const head = this.#headOf(known.resolved);
    const isSame = head === known.head && head?.version === known.version && head?.active === known.active;
    return isSame ? known.resolved : undefined;
  }

  keep(text: string, resolved: Resolved): void {
    const head = this.#headOf(resolved);
    const { renameCount } = this.#records;
    this.#byText.set(text, { resolved, head, version: head?.version, active: head?.active, renameCount });
  }

  /** As the commit has made it so far; `undefined` for what it does not touch. */
  #headOf({ identity: { repoId, recordId } }: Resolved): Head | undefined {
    return repoId === this.#records.start.repoId ? this.#records.findById(recordId) : undefined;
  }
}
