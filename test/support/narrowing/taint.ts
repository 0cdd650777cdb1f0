// Content that must not be in any answer to a token: names, identities and values of hidden records.
import type { WorldRecord, WorldRepository } from './record.ts';
import { calledAs, type OracleToken } from './visibility.ts';

const MARK = /x\d+x/g;
const DURABLE_ID = /[0-9][0-9A-HJKMNP-TV-Z]{25}/g;

export class Taint {
  readonly #allowed = new Set<string>();
  readonly #known = new Set<string>();

  constructor(token: OracleToken, repositories: readonly WorldRepository[]) {
    // A caller who may read all of a repository also gets the original text of references to other repositories.
    const followsText = repositories.some((repo) => token.reads(repo) && !token.isNarrowedIn(repo));
    for (const repo of repositories) {
      for (const record of repo.records) this.#addRecord(token, record, followsText);
      for (const { mark, operations } of repo.commits) {
        const isWhole = operations.every(({ record }) => token.shows(record));
        this.#add([mark], token.reads(repo) && isWhole);
      }
    }
  }

  #addRecord(token: OracleToken, record: WorldRecord, followsText: boolean): void {
    const isRead = token.reads(record.repo);
    const isShown = isRead && token.shows(record);
    this.#add(record.marks, isShown);
    this.#add([record.durableId], isShown || (!isRead && followsText));
    for (const name of record.allNames()) {
      const isNameShown = isRead ? token.shows(record, calledAs(record, name)) : followsText;
      this.#add(name.match(MARK) ?? [], isNameShown);
    }
  }

  #add(texts: Iterable<string>, isAllowed: boolean): void {
    for (const text of texts) {
      this.#known.add(text);
      if (isAllowed) this.#allowed.add(text);
    }
  }

  /** Forbidden values in a text. */
  findIn(text: string): string[] {
    const found = [...(text.match(MARK) ?? []), ...(text.match(DURABLE_ID) ?? [])];
    return found.filter((one) => this.#known.has(one) && !this.#allowed.has(one));
  }
}
