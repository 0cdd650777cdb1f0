// Tools for components: what there is to install, and what is installed.
import { z } from 'zod';
import { componentRef, installation } from './component.ts';
import { organizationName } from './organization.ts';
import { pageInput } from './page.ts';
import { repositoryName } from './repository.ts';
import { items, pageOutput, text } from './tool-output.ts';
import type { ToolRow } from './tool-row.ts';
import { inWays } from './tool-way.ts';

export const COMPONENT_TOOLS = {
  component_list: {
    title: 'Components',
    description:
      'With orgName and repoName: what is installed in that repository; with component too: whether it is well, and what to do. Otherwise what can be installed, of orgName alone where given; with component: its manifest.',
    input: z.strictObject({
      orgName: organizationName.optional(),
      repoName: repositoryName.optional(),
      component: componentRef.optional().describe('As org/name.'),
      ...pageInput,
    }),
    output: pageOutput.partial(),
    ...inWays([
      { when: { repoName: true, component: true }, calls: 'component.doctor' },
      { when: { repoName: true }, calls: 'component.list' },
      // The component says which organization.
      { when: { component: true }, calls: 'component.view', without: ['orgName'] },
      { when: {}, calls: 'component.registry' },
    ]),
    effect: 'reads',
  },
  component_install: {
    title: 'Install a component',
    description:
      'Brings a component into a repository, with its shapes and subscriptions, or mends what is missing. update: true brings an installed one to the latest version. Read its manifest first (component_list): it is code of others that will read and write there.',
    input: z.strictObject({
      orgName: installation.shape.orgName,
      repoName: installation.shape.repoName,
      component: componentRef.describe('As org/name.'),
      update: z.boolean().optional(),
    }),
    output: z.looseObject({ component: text, state: text, version: text, findings: items }),
    ...inWays([
      { when: { update: true }, calls: 'component.update' },
      { when: {}, calls: 'component.install' },
    ]),
    effect: 'adds',
    idempotent: true,
    reaches: true,
  },
} as const satisfies Record<string, ToolRow>;
