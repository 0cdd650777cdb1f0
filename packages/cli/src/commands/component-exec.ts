// `cairn component exec`: calls a method of an installed component. Its flags and its help are made from the manifest, so
// that everything behind the component's name is read only when that is known.
import type { Command } from 'commander';
import { findComponent } from '../component-find.ts';
import { componentCommand } from '../component-method.ts';
import { UsageError } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { openSession, repoOf } from '../session.ts';

const HELP = `
Arguments are given as the method names them, --NAME VALUE, or as --arg NAME=VALUE, once for each.
  cairn component exec acme/word-count --help         lists the methods
  cairn component exec acme/word-count count --help   shows the arguments of one
Of a component whose name is no noun of this command, the same is cairn word-count count.`;

export function addComponentExec(component: Command, io: Io): void {
  component
    .command('exec [component] [method] [arguments...]')
    .summary('call a method of an installed component, ORG/NAME or NAME')
    .helpOption(false)
    .allowUnknownOption()
    .addHelpText('after', HELP)
    .action(async (given: string | undefined, _method: unknown, _arguments: unknown, _flags: unknown, ran: Command) => {
      if (given === undefined) throw new UsageError('Name the component, as ORG/NAME or NAME, and the method.');
      if (/^(-h|--help)$/.test(given)) return ran.help();
      const session = openSession(io, ran);
      const called = await findComponent(session.client, repoOf(io, ran), given);
      const command = componentCommand(`cairn component exec ${given}`, ran, { called, open: () => session });
      await command.parseAsync(ran.args.slice(1), { from: 'user' });
    });
}
