// What the component knows of each repository that it is installed in: its token there, and the secrets that it shares
// with the server. In memory, and where INSTALLS_FILE is set in that file too, which its owner alone can read.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

export interface Install {
  readonly installId: string;
  readonly apiUrl: string;
  /** Signs deliveries: Standard Webhooks. */
  readonly webhookSecret: string;
  /** Signs calls of methods. */
  readonly cliSecret: string;
  readonly runtimeToken: string;
}

export class Installs {
  readonly #file: string | undefined;
  readonly #byId: Map<string, Install>;

  constructor(file: string | undefined) {
    this.#file = file;
    const kept = file !== undefined && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Install[]) : [];
    this.#byId = new Map(kept.map((install) => [install.installId, install]));
  }

  get(installId: string): Install | undefined {
    return this.#byId.get(installId);
  }

  all(): Install[] {
    return [...this.#byId.values()];
  }

  keep(install: Install): void {
    this.#byId.set(install.installId, install);
    this.#save();
  }

  drop(installId: string): void {
    this.#byId.delete(installId);
    this.#save();
  }

  /** Beside it first: a crash leaves the file as it was, or as it is to be. */
  #save(): void {
    if (this.#file === undefined) return;
    writeFileSync(`${this.#file}.new`, JSON.stringify(this.all()), { mode: 0o600 });
    renameSync(`${this.#file}.new`, this.#file);
  }
}
