// The thread that keeps the search index, beside the writer: a commit never waits for it.
import { workerData } from 'node:worker_threads';
import type { StoreLocation } from './database.ts';
import { openPostgresFollower } from './postgres.ts';
import { type FollowRequest, SearchFollower } from './search-follower.ts';
import { isDamage } from './sqlite-connection.ts';
import { fileNumber, openSqliteSearch, removeSearchFile, searchFile } from './sqlite-search.ts';
import { writerOn } from './sqlite-writer.ts';
import { serveThread } from './thread.ts';
import { Turns } from './turns.ts';

interface Following {
  readonly follower: SearchFollower;
  /** Whether what it writes to is still the index. */
  isPresent(): boolean;
  close(): Promise<void>;
}

function open(location: StoreLocation): Following {
  if (location.engine === 'postgres') {
    const database = openPostgresFollower(location.url);
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

const location = workerData as StoreLocation;
const turns = new Turns<'step'>();
let following: Following | undefined;

async function step(committedTo: FollowRequest): Promise<boolean> {
  if (following?.isPresent() === false) await close();
  following ??= open(location);
  try {
    return await following.follower.step(committedTo);
  } catch (error) {
    if (location.engine === 'sqlite' && isDamage(error)) {
      await close();
      removeSearchFile(searchFile(location.file));
    }
    throw error;
  }
}

async function close(): Promise<void> {
  const before = following;
  following = undefined;
  await before?.close();
}

serveThread<FollowRequest, boolean>({
  serve: (committedTo) => turns.take('step', () => step(committedTo)),
  close: () => turns.take('step', close),
  yields: true,
});
