// What the hub must be given: it knows streams, and nothing of repositories, rights or storage.
import type { CairnError } from '@cairn/protocol/errors';
import type { LiveInvalidate } from '@cairn/protocol/live';

/** Who listens to a repository. Those of one key have the same rights, which are looked up once for all of them. */
export interface Listener {
  readonly key: string;
  readonly repoId: number;
}

/** What a listener may see now. */
export interface Sight {
  /** How far the repository is. */
  readonly repoSeq: number;
  /** What is shown and what is hidden, as a text to compare with others. */
  readonly view: string;
}

/** The commits after one sequence, through another. */
export interface Stretch {
  readonly repoId: number;
  readonly sinceSeq: number;
  readonly throughSeq: number;
}

export interface LiveSource<Who extends Listener, Seen extends Sight> {
  /** In the order given; an error for who may listen no more. */
  check(listeners: readonly Who[]): Promise<readonly (Seen | CairnError)[]>;
  /** For each sight the event that it is due, or none. Equal events are one object: each is written out once. */
  read(stretch: Stretch, sights: readonly Seen[]): Promise<readonly (LiveInvalidate | undefined)[]>;
  /** How far repositories are. */
  sequences(repoIds: readonly number[]): Promise<ReadonlyMap<number, number>>;
}
