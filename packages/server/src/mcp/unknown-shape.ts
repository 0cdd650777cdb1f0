// Adds hints to empty lists. A model that mistyped a shape would trust the empty result.
import { CairnError, fail } from '@cairn/protocol/errors';
import { nearest } from '@cairn/protocol/nearest';
import type { CallProcedure } from './tool.ts';

interface ListInput {
  readonly orgName: string;
  readonly repoName: string;
  readonly shape?: string | undefined;
  readonly cursor?: string | undefined;
  readonly atRepoSeq?: number | undefined;
}

const NAMES_MAX = 20;
const LISTED_MAX = 500;

export async function withShapeHint(
  call: CallProcedure,
  input: ListInput,
  list: () => Promise<object>,
): Promise<object> {
  try {
    const answer = await list();
    if (input.cursor !== undefined || !isEmpty(answer)) return answer;
    const hint = await hintOf(call, { ...input, atRepoSeq: answer.repoSeq });
    return { ...answer, ...(hint !== undefined && { hint }) };
  } catch (error) {
    throw await withHint(call, input, error);
  }
}

async function withHint(call: CallProcedure, input: ListInput, error: unknown): Promise<unknown> {
  if (!(error instanceof CairnError) || error.code !== 'VALIDATION_ERROR' || error.hint !== undefined) return error;
  const hint = await hintOf(call, input).catch(() => undefined);
  return hint === undefined ? error : fail(error.code, { ...error.fields, hint });
}

function isEmpty(answer: object): answer is { repoSeq: number } {
  if ('count' in answer) return answer.count === 0;
  return 'items' in answer && Array.isArray(answer.items) && answer.items.length === 0;
}

async function hintOf(call: CallProcedure, input: ListInput): Promise<string | undefined> {
  const { orgName, repoName, shape, atRepoSeq } = input;
  if (shape === undefined) return undefined;
  const at = { orgName, repoName, ...(atRepoSeq !== undefined && { atRepoSeq }) };
  if (await isThere(call, { ...at, name: shape })) return undefined;
  const { items } = await call('shape.list', { ...at, limit: LISTED_MAX });
  return hintText(
    shape,
    items.map(({ name }) => name),
  );
}

/** Retracted shapes count, because they may have records. */
async function isThere(call: CallProcedure, at: Omit<ListInput, 'shape'> & { name: string }): Promise<boolean> {
  try {
    await call('shape.get', { ...at, includeRetracted: true });
    return true;
  } catch (error) {
    if (error instanceof CairnError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}

function hintText(shape: string, names: readonly string[]): string {
  const missing = `There is no shape ${shape} in this repository, or you may not read it.`;
  const near = nearest(shape, names);
  if (near.length > 0) return `${missing} Did you mean ${near.slice(0, NAMES_MAX).join(' or ')}?`;
  if (names.length === 0) return `${missing} It has no shapes yet; shape_set defines one.`;
  const more = names.length > NAMES_MAX ? ' and more, which repo_describe lists' : '';
  return `${missing} Shapes that you may read: ${names.slice(0, NAMES_MAX).join(', ')}${more}.`;
}
