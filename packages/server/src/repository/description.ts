// What a repository says of itself: what it holds, of which shapes, and the texts to read first.
import type { ContentName, ShapeDescription } from '@cairn/protocol/description';
import { CairnError, fail } from '@cairn/protocol/errors';
import type { ProcedureArguments, ProcedureOutput } from '@cairn/protocol/procedures';
import type { RecordItem } from '@cairn/protocol/record';
import { authorize } from '../access/access.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { listCommits } from '../commit/commit-read.sql.ts';
import type { JsonObject } from '../model/json-value.ts';
import { listShapes } from '../read/record.sql.ts';
import { countByShape, type RecordCounts } from '../read/record-count.sql.ts';
import { sequenceOf } from '../read/thing.ts';
import { findContents } from './content.ts';

export async function repoStats(
  context: Context,
  { atRepoSeq: asked, ...address }: ProcedureArguments<'repo.stats'>,
): Promise<ProcedureOutput<'repo.stats'>> {
  const grant = await authorize(context, address, 'repo:read');
  const atRepoSeq = sequenceOf(grant, asked);
  const { counts, retracted, shapes } = await countByShape(context.store.database, grant, atRepoSeq);
  const lastCommitAt = await findLastCommitAt(context, grant, atRepoSeq);
  return { repoSeq: atRepoSeq, counts, retracted, shapes: [...shapes], lastCommitAt };
}

/** Of the last commit of which the caller sees something; `null` also where too many would have to be looked at. */
async function findLastCommitAt({ store }: Context, grant: Grant, atRepoSeq: number): Promise<number | null> {
  try {
    const [last] = await listCommits(store.database, grant, { before: atRepoSeq + 1, limit: 1 });
    return last?.createdAt ?? null;
  } catch (error) {
    if (grant.narrowing !== undefined && error instanceof CairnError && error.code === 'UNAVAILABLE') return null;
    throw error;
  }
}

export async function describeRepo(
  context: Context,
  { atRepoSeq: asked, ...address }: ProcedureArguments<'repo.describe'>,
): Promise<ProcedureOutput<'repo.describe'>> {
  const grant = await authorize(context, address, 'repo:read');
  const atRepoSeq = sequenceOf(grant, asked);
  const { counts, contents, shapePages } = await readDescription(context, grant, atRepoSeq);
  const shapes: ShapeDescription[] = [];
  let bytes = 0;
  for await (const page of shapePages) {
    bytes += JSON.stringify(page).length;
    if (bytes > context.limits.answerBytes) throw tooManyShapes(context);
    shapes.push(...page);
  }
  return { repository: grant.repository, repoSeq: atRepoSeq, counts, shapes, contents };
}

function tooManyShapes({ limits: { answerBytes: maxBytes } }: Context): CairnError {
  return fail('PAYLOAD_TOO_LARGE', {
    message: `The shapes of this repository have more than ${maxBytes} bytes together. Read them in pages, as the records of kind shape.`,
    details: { maxBytes },
  });
}

interface Description {
  readonly counts: RecordCounts['counts'];
  readonly contents: ContentName[];
  /** The active shapes, by name. */
  readonly shapePages: AsyncGenerator<ShapeDescription[]>;
}

/** Nothing in it comes from another repository. */
export async function readDescription(context: Context, grant: Grant, atRepoSeq: number): Promise<Description> {
  const { counts, shapes } = await countByShape(context.store.database, grant, atRepoSeq);
  const found = await findContents(context, grant, atRepoSeq);
  const contents = found.map(({ name }) => name);
  const byName = new Map(shapes.map(({ name, count }) => [name, count]));
  return { counts, contents, shapePages: describeShapes(context, grant, { atRepoSeq, counts: byName }) };
}

const SHAPES_A_PAGE = 100;

interface ShapesRequest {
  readonly atRepoSeq: number;
  readonly counts: ReadonlyMap<string, number>;
}

async function* describeShapes(
  { store }: Context,
  grant: Grant,
  { atRepoSeq, counts }: ShapesRequest,
): AsyncGenerator<ShapeDescription[]> {
  for (let after: string | undefined; ; ) {
    const page = { atRepoSeq, after, includeRetracted: false, limit: SHAPES_A_PAGE };
    const items = await listShapes(store.database, grant, page);
    yield items.map((item) => toShapeDescription(item, counts.get(item.name) ?? 0));
    if (items.length < SHAPES_A_PAGE) return;
    after = items.at(-1)?.name;
    await new Promise((turn) => setImmediate(turn));
  }
}

function toShapeDescription({ name, version, data }: RecordItem, count: number): ShapeDescription {
  const { fields, description } = data as JsonObject;
  return { name, count, version, ...(typeof description === 'string' && { description }), fields };
}
