// Tools for components.
import type { Tools } from './tool.ts';

export const COMPONENT_TOOLS: Pick<Tools, 'component_list' | 'component_install'> = {
  component_list: async (call, { orgName, repoName, component, ...page }) => {
    if (orgName !== undefined && repoName !== undefined) {
      if (component === undefined) return await call('component.list', { orgName, repoName, ...page });
      return await call('component.doctor', { orgName, repoName, component });
    }
    if (component === undefined) return await call('component.registry', { orgName, ...page });
    const [owner = '', name = ''] = component.split('/');
    return await call('component.view', { orgName: owner, name });
  },

  component_install: async (call, { update, ...input }) =>
    update === true ? await call('component.update', input) : await call('component.install', input),
};
