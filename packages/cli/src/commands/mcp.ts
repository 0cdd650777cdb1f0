// `cairn mcp`: the server's tools for clients that start a local process and speak MCP over its standard streams.
import type { Command } from 'commander';
import type { Io } from '../io.ts';
import { errorLook } from '../look.ts';
import { bridge } from '../mcp-bridge.ts';
import { printError } from '../output.ts';
import { chooseKnown, withHint } from '../profile-choice.ts';
import { credentialsOf } from '../profile-session.ts';
import { type GlobalFlags, openSession } from '../session.ts';

const DESCRIPTION = `Carries MCP between standard streams and the server, as the profile's account. It is for clients that
start a local process; what connects to an address needs none of it: docs/mcp.md.`;

export function addMcp(program: Command, io: Io): void {
  program
    .command('mcp')
    .summary('give an AI client that starts a local process the tools of the server')
    .description(DESCRIPTION.replaceAll('\n', ' '))
    .action(async (_: object, command: Command) => {
      const flags: GlobalFlags = command.optsWithGlobals();
      const { say, format } = openSession(io, command);
      const choice = chooseKnown(io, flags);
      const { url, tokenFrom } = choice;
      if (io.isTerminal)
        say('Waiting for messages of MCP, one a line; Ctrl-C ends it. How clients use this: docs/mcp.md.');
      if (tokenFrom === undefined) {
        say(`You are not signed in to ${url}: what is public can be read, nothing else. Sign in: cairn auth login.`);
      }
      await bridge(io, {
        server: { url, ...credentialsOf(choice, io.environment) },
        explain: (error) => withHint(choice, error),
        onFailure: (error) => printError({ io, format, look: errorLook(io, flags) }, error),
      });
    });
}
