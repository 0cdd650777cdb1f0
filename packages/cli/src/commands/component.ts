// `cairn component`: what others wrote to work on a repository. The registry of an organization, and what is installed.
import type { Command } from 'commander';
import type { CommandIo } from '../io.ts';
import { addComponentExec } from './component-exec.ts';
import { addComponentInstall } from './component-install.ts';
import { addComponentManage } from './component-manage.ts';
import { addComponentRegistry } from './component-registry.ts';
import { addComponentValidate } from './component-validate.ts';

export function addComponent(program: Command, io: CommandIo): void {
  const component = program
    .command('component')
    .summary('programs that are installed in a repository, and their registry')
    .description('A component is named as ORG/NAME: the organization that registered it, and its name there.');
  addComponentValidate(component, io);
  addComponentRegistry(component, io);
  addComponentInstall(component, io);
  addComponentManage(component, io);
  addComponentExec(component, io);
}
