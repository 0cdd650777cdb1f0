// Installs of the component: for each repository, its token and the secrets shared with the server. They are kept in
// memory and, if INSTALLS_FILE is set, also in that file, which only its owner can read.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';

export interface Install {
  readonly installId: string;
  readonly apiUrl: string;
  /** Signs deliveries (Standard Webhooks). */
  readonly webhookSecret: string;
  /** Signs method calls. */
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

  /** Writes a second file and renames it, so that a crash leaves either the old or the new content. */
  #save(): void {
    if (this.#file === undefined) return;
    writeFileSync(`${this.#file}.new`, JSON.stringify(this.all()), { mode: 0o600 });
    renameSync(`${this.#file}.new`, this.#file);
  }
}
