// Tools for components.
import type { Tools } from './tool.ts';
import { byWay } from './tool-way.ts';

const list = byWay('component_list');

export const COMPONENT_TOOLS: Pick<Tools, 'component_list' | 'component_install'> = {
  component_list: async (call, input) => {
    const { repoName, component } = input;
    if (repoName !== undefined || component === undefined) return await list(call, input);
    // The registry has organization and name apart.
    const [orgName = '', name = ''] = component.split('/');
    return await call('component.view', { orgName, name });
  },
  component_install: byWay('component_install'),
};
