// A list that is empty because there is no such shape: a model that mistyped its name would take it for the truth.
import { CairnError } from '@cairn/protocol/errors';
import { nearest } from '@cairn/protocol/nearest';
import type { CallProcedure } from './tool.ts';

interface ListInput {
  readonly orgName: string;
  readonly repoName: string;
  readonly shape?: string | undefined;
  readonly cursor?: string | undefined;
}

/** More than that is what repo_describe is for. */
const NAMES_MAX = 20;
const LISTED_MAX = 500;

/** What was answered; with a hint beside it where the shape that was asked for is none that the caller may read. */
export async function withShapeHint(call: CallProcedure, input: ListInput, answer: object): Promise<object> {
  const { orgName, repoName, shape, cursor } = input;
  if (shape === undefined || cursor !== undefined || !isEmpty(answer)) return answer;
  const at = { orgName, repoName, includeRetracted: true, atRepoSeq: answer.repoSeq };
  if (await isThere(call, { ...at, name: shape })) return answer;
  // As the caller may read them, as everything that a tool says.
  const { items } = await call('shape.list', { ...at, includeRetracted: false, limit: LISTED_MAX });
  return { ...answer, hint: hintOf(shape, namesIn(items)) };
}

interface EmptyList {
  readonly repoSeq: number;
}

function isEmpty(answer: object): answer is EmptyList {
  if ('count' in answer) return answer.count === 0;
  return 'items' in answer && Array.isArray(answer.items) && answer.items.length === 0;
}

interface ShapeAt extends Pick<ListInput, 'orgName' | 'repoName'> {
  readonly name: string;
  readonly atRepoSeq: number;
  readonly includeRetracted: boolean;
}

async function isThere(call: CallProcedure, at: ShapeAt): Promise<boolean> {
  try {
    await call('shape.get', at);
    return true;
  } catch (error) {
    if (error instanceof CairnError && error.code === 'NOT_FOUND') return false;
    throw error;
  }
}

const namesIn = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);

function hintOf(shape: string, names: readonly string[]): string {
  const missing = `There is no shape ${shape} in this repository, or you may not read it.`;
  const near = nearest(shape, names);
  if (near.length > 0) return `${missing} Did you mean ${near.slice(0, NAMES_MAX).join(' or ')}?`;
  if (names.length === 0) return `${missing} There are no shapes yet; shape_set defines one.`;
  const more = names.length > NAMES_MAX ? ' and more, which repo_describe lists' : '';
  return `${missing} Shapes that you may read: ${names.slice(0, NAMES_MAX).join(', ')}${more}.`;
}
