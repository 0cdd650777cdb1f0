// The texts of a repository that readers see first. They are records of the shape Content, which commits can write like
// any other.

import type { JsonObject } from '@cairn/model/json';
import type { RepositoryContent, ShapeDescription } from '@cairn/protocol/description';
import { CairnError, fail } from '@cairn/protocol/errors';
import type { ProcedureArguments } from '@cairn/protocol/procedures';
import type { RecordItem } from '@cairn/protocol/record';
import { CONTENT_NAMES, type ContentName } from '@cairn/protocol/vocabulary';
import { authorize } from '../access/access.ts';
import type { Context, Operation } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { submitCommit, unnarrowed } from '../commit/commit.ts';
import { listCommits } from '../commit/commit-read.sql.ts';
import { entityTag, matchesTag } from '../read/entity-tag.ts';
import { findRecords, listShapes, type RecordWref } from '../read/record.sql.ts';
import { countByShape, type RecordCounts } from '../read/record-count.sql.ts';
import { sequenceOf } from '../read/thing.ts';
import { makeLlmsText } from './llms-text.ts';
import type { RepositoryAddress } from './repository.sql.ts';

const SHAPE_NAME = 'Content';
const LOCAL_NAMES = { readme: 'Readme', agents: 'Agents' } as const satisfies Record<ContentName, string>;

function wrefOf(name: ContentName): RecordWref {
  return { name: { shapeName: SHAPE_NAME, local: LOCAL_NAMES[name] }, version: undefined };
}

export const getContent: Operation<'repo.getContent'> = async (context, { name, atRepoSeq, ...address }) => {
  const grant = await authorize(context, address, 'repo:read');
  return await readContent(context, grant, name, sequenceOf(grant, atRepoSeq));
};

export async function readContent(
  context: Context,
  grant: Grant,
  name: ContentName,
  atRepoSeq: number,
): Promise<RepositoryContent> {
  const found = await findContents(context, grant, atRepoSeq, [name]);
  const { content, version } = found[0] ?? { content: '', version: 0 };
  return { name, content, version, repoSeq: atRepoSeq };
}

export async function findContents(
  { store }: Context,
  grant: Grant,
  atRepoSeq: number,
  names: readonly ContentName[] = CONTENT_NAMES,
): Promise<{ name: ContentName; content: string; version: number }[]> {
  const items = await findRecords(store.database, grant, { wrefs: names.map(wrefOf), atRepoSeq });
  return names.flatMap((name, index) => {
    const item = items[index];
    if (item === undefined || !item.active) return [];
    return [{ name, content: String((item.data as JsonObject).content), version: item.version }];
  });
}

type ContentChange = ProcedureArguments<'repo.setContent'>;

const ATTEMPTS_MAX = 3;

/** Retries, because another writer may be faster. */
export async function setContent(context: Context, input: ContentChange): Promise<RepositoryContent> {
  for (let attempt = 1; ; attempt++) {
    const operation = operationFor(input, await findHead(context, input));
    try {
      return await submitContent(context, input, operation);
    } catch (error) {
      if (!isOutrun(error) || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

/** Reads without narrowing, because the refusal of a commit would reveal the version too. */
async function findHead(context: Context, input: ContentChange): Promise<RecordItem | undefined> {
  const grant = await authorize(context, input, 'repo:write');
  const request = { wrefs: [wrefOf(input.name)], atRepoSeq: grant.repository.repoSeq };
  const [head] = await findRecords(context.store.database, unnarrowed(grant), request);
  return head;
}

function operationFor({ name, content, expectedVersion }: ContentChange, head: RecordItem | undefined): object {
  const change = { name: `${SHAPE_NAME}/${LOCAL_NAMES[name]}`, data: { content } };
  if (head === undefined) {
    if (expectedVersion !== undefined && expectedVersion !== 0)
      throw otherVersion(name, { expectedVersion, version: 0 });
    return { operation: 'add', ...change };
  }
  if (expectedVersion === undefined) return { operation: 'revise', ...change };
  if (expectedVersion === 0 && head.active) throw otherVersion(name, { expectedVersion, version: head.version });
  return { operation: 'revise', ...change, expectedVersion: expectedVersion === 0 ? head.version : expectedVersion };
}

function otherVersion(
  name: ContentName,
  { expectedVersion, version }: { expectedVersion: number; version: number },
): CairnError {
  return fail('CONFLICT', {
    message: `The ${name} is at version ${version}, not ${expectedVersion}. Read it again and retry.`,
    details: { reason: 'expected_version_mismatch', expectedVersion, currentVersion: version },
  });
}

function isOutrun(error: unknown): boolean {
  return error instanceof CairnError && (error.code === 'ALREADY_EXISTS' || error.code === 'NOT_FOUND');
}

async function submitContent(
  context: Context,
  { orgName, repoName, name, content, message = '' }: ContentChange,
  operation: object,
): Promise<RepositoryContent> {
  const request = { orgName, repoName, operations: [operation], message };
  const { repoSeq, operations } = await submitCommit(context, request);
  return { name, content, version: operations[0]?.version ?? 0, repoSeq };
}

export type RawFile = 'readme.md' | 'agents.md' | 'llms.txt';

interface RawRequest extends RepositoryAddress {
  readonly file: RawFile;
  readonly atRepoSeq?: number | undefined;
  readonly ifNoneMatch: string | undefined;
}

interface RawContent {
  readonly tag: string;
  /** `undefined` if the caller's copy is current. Nothing is read then. */
  readonly text: string | undefined;
}

export async function readRawContent(context: Context, request: RawRequest): Promise<RawContent> {
  const { file, atRepoSeq: asked, ifNoneMatch, orgName, repoName } = request;
  const grant = await authorize(context, { orgName, repoName }, 'repo:read');
  const atRepoSeq = sequenceOf(grant, asked);
  const tag = entityTag(context, grant, { route: file, parameters: { atRepoSeq: asked } });
  if (matchesTag(ifNoneMatch, tag)) return { tag, text: undefined };
  if (file === 'llms.txt') return { tag, text: await readLlmsText(context, grant, { asked, atRepoSeq }) };
  const name = file === 'readme.md' ? 'readme' : 'agents';
  const { content } = await readContent(context, grant, name, atRepoSeq);
  return { tag, text: content };
}

async function readLlmsText(
  context: Context,
  grant: Grant,
  { asked, atRepoSeq }: { asked: number | undefined; atRepoSeq: number },
): Promise<string> {
  const description = await readDescription(context, grant, atRepoSeq);
  const { publicUrl } = context;
  return await makeLlmsText({ ...description, repository: grant.repository, publicUrl, atRepoSeq: asked });
}

export const repoStats: Operation<'repo.stats'> = async (context, { atRepoSeq: asked, ...address }) => {
  const grant = await authorize(context, address, 'repo:read');
  const atRepoSeq = sequenceOf(grant, asked);
  const { counts, retracted, shapes } = await countByShape(context.store.database, grant, atRepoSeq);
  const lastCommitAt = await findLastCommitAt(context, grant, atRepoSeq);
  return { repoSeq: atRepoSeq, counts, retracted, shapes: [...shapes], lastCommitAt };
};

async function findLastCommitAt({ store }: Context, grant: Grant, atRepoSeq: number): Promise<number | null> {
  try {
    const [last] = await listCommits(store.database, grant, { before: atRepoSeq + 1, limit: 1 });
    return last?.createdAt ?? null;
  } catch (error) {
    if (grant.narrowing !== undefined && error instanceof CairnError && error.code === 'UNAVAILABLE') return null;
    throw error;
  }
}

export const describeRepo: Operation<'repo.describe'> = async (context, { atRepoSeq: asked, ...address }) => {
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
};

function tooManyShapes({ limits: { answerBytes: maxBytes } }: Context): CairnError {
  return fail('PAYLOAD_TOO_LARGE', {
    message: `The shapes of this repository have more than ${maxBytes} bytes together. Read them in pages, as records of kind shape.`,
    details: { maxBytes },
  });
}

interface Description {
  readonly counts: RecordCounts['counts'];
  readonly contents: ContentName[];
  readonly shapePages: AsyncGenerator<ShapeDescription[]>;
}

export async function readDescription(context: Context, grant: Grant, atRepoSeq: number): Promise<Description> {
  const { counts, shapes } = await countByShape(context.store.database, grant, atRepoSeq);
  const found = await findContents(context, grant, atRepoSeq);
  const contents = found.map(({ name }) => name);
  const byName = new Map(shapes.map(({ name, count }) => [name, count]));
  return { counts, contents, shapePages: describeShapes(context, grant, atRepoSeq, byName) };
}

const SHAPES_A_PAGE = 100;

async function* describeShapes(
  { store }: Context,
  grant: Grant,
  atRepoSeq: number,
  counts: ReadonlyMap<string, number>,
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
