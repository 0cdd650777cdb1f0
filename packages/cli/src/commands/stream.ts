// `cairn stream`: any number of operations, line by line, in a stream that goes on after a cut.
import type { Command } from 'commander';
import type { CommandIo } from '../io.ts';
import { openSession, repoOf } from '../session.ts';
import { addStreamSubmit } from './stream-submit.ts';

export function addStream(program: Command, io: CommandIo): void {
  const stream = program.command('stream').summary('operations without end, line by line');
  addStreamSubmit(stream, io);
  for (const verb of ['status', 'close'] as const) {
    stream
      .command(`${verb} <stream-id>`)
      .summary(
        verb === 'status' ? 'show how far a stream of yours is' : 'end a stream of yours: it takes no more lines',
      )
      .action(async (streamId: string, _flags: object, command: Command) => {
        const { orgName, repoName } = repoOf(io, command);
        const { client, print } = openSession(io, command);
        print(await client.stream[verb](orgName, repoName, streamId));
      });
  }
}
