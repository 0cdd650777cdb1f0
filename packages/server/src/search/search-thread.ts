// The thread that updates the search index, so that commits never wait for it.
import type { StoreLocation } from '../engine/database.ts';
import { fileNumber, isDamage } from '../engine/sqlite/connection.ts';
import { openSqliteSearch, removeSideFile, searchFile } from '../engine/sqlite/side-file.ts';
import { writerOn } from '../engine/sqlite/sqlite.ts';
import { serveThread } from '../engine/thread.ts';
import { type FollowRequest, SearchFollower } from './search-follow.sql.ts';

interface Following {
  readonly follower: SearchFollower;
  isPresent(): boolean;
  close(): Promise<void>;
}

async function openFollower(location: StoreLocation): Promise<Following> {
  if (location.engine === 'postgres') {
    const { openPostgresFollower } = await import('../engine/postgres/postgres.ts');
    const database = openPostgresFollower(location.url, location);
    return { follower: new SearchFollower(database), isPresent: () => true, close: () => database.close() };
  }
  const file = searchFile(location.file);
  const database = writerOn(openSqliteSearch(location.file));
  const opened = fileNumber(file);
  return {
    follower: new SearchFollower(database),
    isPresent: () => fileNumber(file) === opened,
    close: () => database.close(),
  };
}

class Keeper {
  readonly #location: StoreLocation;
  #last: Promise<unknown> = Promise.resolve();
  #following: Following | undefined;

  constructor(location: StoreLocation) {
    this.#location = location;
  }

  serve(committedTo: FollowRequest): Promise<boolean> {
    return this.#inTurn(() => this.#step(committedTo));
  }

  close(): Promise<void> {
    return this.#inTurn(() => this.#end());
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #step(committedTo: FollowRequest): Promise<boolean> {
    const location = this.#location;
    if (this.#following?.isPresent() === false) await this.#end();
    this.#following ??= await openFollower(location);
    try {
      return await this.#following.follower.step(committedTo);
    } catch (error) {
      if (location.engine === 'sqlite' && isDamage(error)) {
        await this.#end();
        removeSideFile(searchFile(location.file));
      }
      throw error;
    }
  }

  async #end(): Promise<void> {
    const before = this.#following;
    this.#following = undefined;
    await before?.close();
  }
}

serveThread((location: StoreLocation) => new Keeper(location), { yields: true });
