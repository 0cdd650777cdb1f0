import type { Command } from 'commander';

/** Everything after `serve` belongs to the server, which has a table of its settings and a help text of its own. */
export function addServe(program: Command): void {
  program
    .command('serve')
    .summary('start the server')
    .description('Starts the server. `cairn serve --help` lists its settings.')
    .allowUnknownOption()
    .allowExcessArguments()
    .helpOption(false)
    .action(async (_options: object, command: Command) => {
      const { serve } = await import('@cairn/server/admin');
      await serve(command.args);
    });
}
