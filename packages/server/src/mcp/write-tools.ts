// Tools that write what a repository holds.
import { CairnError } from '@cairn/protocol/errors';
import type { Tools } from './tool.ts';
import { byWay } from './tool-way.ts';

export const WRITE_TOOLS: Pick<Tools, 'shape_set' | 'commit_submit' | 'content_set'> = {
  shape_set: async (call, { expectedVersion, ...input }) => {
    // A version can be expected only of what exists.
    if (expectedVersion !== undefined) return await call('shape.revise', { ...input, expectedVersion });
    try {
      return await call('shape.create', input);
    } catch (error) {
      if (error instanceof CairnError && error.code === 'ALREADY_EXISTS') return await call('shape.revise', input);
      throw error;
    }
  },

  commit_submit: byWay('commit_submit'),

  content_set: (call, input) => call('repo.setContent', input),
};
