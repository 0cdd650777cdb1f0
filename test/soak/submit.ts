// The paths by which a commit reaches the server: plain HTTP, the SDK, and the agents' tool.
import type { CommitResult } from '@cairn/sdk';
import { callTool } from './mcp-call.ts';
import { postJson } from './plain-http.ts';
import type { Place } from './world.ts';

export const WAYS = ['http', 'sdk', 'mcp'] as const;
export type Way = (typeof WAYS)[number];

export interface CommitRequest {
  readonly message: string;
  /** The same for every retry, so that the commit is applied once. */
  readonly submissionId: string;
  readonly operations: object[];
}

export type Submit = (request: CommitRequest) => Promise<CommitResult>;

export function submitBy(way: Way, { world, model }: Place): Submit {
  const { orgName, repoName } = model;
  if (way === 'sdk') return (request) => world.client.commit.submit(orgName, repoName, request);
  if (way === 'mcp') return (request) => callTool(world, 'commit_submit', { orgName, repoName, ...request });
  return async (request) => {
    const body = { orgName, repoName, ...request };
    const { result } = (await postJson(world, '/trpc/commit.submit', { body })) as { result: { data: CommitResult } };
    return result.data;
  };
}
