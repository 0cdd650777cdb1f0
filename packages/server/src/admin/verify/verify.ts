// Whether the rows of a repository agree with each other. Everything that can be derived from other rows is derived
// again, without the code that wrote it, and compared: a difference is a sentence. Stretch by stretch, so that memory does
// not grow with the repository.
import type { Database, Reader } from '../../engine/database.ts';
import { chainDifferences, entriesOf, sequenceDifferences } from './chain.ts';
import { fieldDifferences, isComplete } from './field.ts';
import { NameHistory, nameDifferences } from './name.ts';
import { recordDifferences } from './record.ts';
import { committerDifferences, referenceDifferences } from './reference.ts';
import { referenceIndexDifferences } from './reference-index.ts';
import type { CommitRow, SequenceRow } from './row.ts';
import { Stretches } from './stretch.ts';
import { type Counts, totalDifferences } from './total.ts';

/** All of them; none where everything is right. */
export async function verifyRepository(
  { database }: { readonly database: Database },
  repoId: number,
): Promise<string[]> {
  const differences: string[] = [];
  for await (const difference of differencesIn(database, repoId)) differences.push(difference);
  return differences;
}

export async function* differencesIn(reader: Reader, repoId: number): AsyncGenerator<string> {
  const [sequence] = await reader.query<SequenceRow>('select * from repo_sequence where repo_id = $1', [repoId]);
  if (sequence === undefined) throw new Error(`there is no repository ${repoId}`);
  const stretches = await Stretches.open(reader, { repoId, importedSeq: sequence.imported_seq });
  const counts = { names: 0, references: 0, values: 0, versions: 0, renames: 0 };
  const lastRecordId = yield* recordsOf(reader, stretches, counts);
  const { lastCommit, lastRenameSeq } = yield* commitsOf(stretches, counts);
  yield* sequenceDifferences(sequence, { lastCommit, lastRecordId, lastRenameSeq });
  yield* await totalDifferences(reader, {
    repoId,
    counts,
    exportRows: sequence.export_rows,
    fields: stretches.shapeFields.filter(isComplete),
  });
}

async function* recordsOf(reader: Reader, stretches: Stretches, counts: Counts): AsyncGenerator<string, number> {
  let lastRecordId = 0;
  for await (const stretch of stretches.records()) {
    const names = new NameHistory(stretch);
    yield* recordDifferences(stretch);
    const [named, referred, valued] = [
      await nameDifferences(reader, stretch, names),
      await referenceIndexDifferences(reader, stretch),
      await fieldDifferences(reader, stretch),
    ];
    yield* [...named.differences, ...referenceDifferences(stretch, names)];
    yield* [...referred.differences, ...valued.differences];
    counts.names += named.rows;
    counts.references += referred.rows;
    counts.values += valued.rows;
    lastRecordId = stretch.own.at(-1)?.record_id ?? lastRecordId;
  }
  return lastRecordId;
}

interface Ends {
  readonly lastCommit: CommitRow | undefined;
  readonly lastRenameSeq: number;
}

async function* commitsOf(stretches: Stretches, counts: Counts): AsyncGenerator<string, Ends> {
  let lastCommit: CommitRow | undefined;
  let lastRenameSeq = 0;
  for await (const stretch of stretches.commits()) {
    const names = new NameHistory(stretch);
    yield* chainDifferences(stretch, names);
    yield* committerDifferences(stretch, names);
    for (const commit of stretch.commits) {
      const renames = entriesOf(commit).filter(([, , , rename]) => rename !== undefined).length;
      counts.renames += renames;
      counts.versions += entriesOf(commit).length - renames;
      if (renames > 0) lastRenameSeq = commit.repo_seq;
    }
    lastCommit = stretch.commits.at(-1);
  }
  return { lastCommit, lastRenameSeq };
}
