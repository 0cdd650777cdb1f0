// Tools that find, understand and make repositories.
import { describeForAgent } from './describe-tool.ts';
import type { Tools } from './tool.ts';
import { COOKBOOK, GUIDE } from './tool-cookbook.ts';
import { toldLimits } from './tool-limit.ts';

export const REPO_TOOLS: Pick<Tools, 'capabilities' | 'repo_list' | 'repo_describe' | 'repo_create'> = {
  capabilities: async (call) => {
    const { version, limits } = await call('diagnostics.capabilities', {});
    return { version, you: await call('auth.whoami', {}), ...GUIDE, cookbook: COOKBOOK, limits: toldLimits(limits) };
  },
  repo_list: (call, input) => call('repo.list', input),
  repo_describe: describeForAgent,
  repo_create: (call, input) => call('repo.create', input),
};
