// Tools that read records.
import type { Tools } from './tool.ts';

type ThingTool = 'thing_query' | 'thing_get' | 'thing_about' | 'thing_graph' | 'thing_changes' | 'commit_log';

export const THING_TOOLS: Pick<Tools, ThingTool> = {
  thing_query: (call, input) => call('thing.query', input),

  thing_get: async (call, { wref, wrefs, history, includeRetracted, limit, cursor, ...input }) => {
    if (wref === undefined) return await call('thing.getMany', { ...input, wrefs: wrefs ?? [], includeRetracted });
    if (history === true) return await call('thing.history', { ...input, wref, limit, cursor });
    return await call('thing.get', { ...input, wref, includeRetracted });
  },

  thing_about: (call, input) => call('thing.about', input),

  thing_graph: async (call, { refs, role, acrossRepos, cursor, depth, ...input }) =>
    refs === true
      ? await call('thing.refs', { ...input, role, acrossRepos, cursor })
      : await call('thing.graph', { ...input, depth }),

  thing_changes: async (call, { wref, ...input }) => {
    if (wref === undefined) return await call('thing.changes', input);
    const { orgName, repoName, sinceRepoSeq, atRepoSeq } = input;
    return await call('thing.diff', { orgName, repoName, wref, sinceRepoSeq, atRepoSeq });
  },

  commit_log: async (call, { repoSeq, submissionId, limit, cursor, ...address }) => {
    if (submissionId !== undefined) return await call('commit.receipt', { ...address, submissionId });
    if (repoSeq !== undefined) return await call('commit.get', { ...address, repoSeq });
    return await call('commit.log', { ...address, limit, cursor });
  },
};
