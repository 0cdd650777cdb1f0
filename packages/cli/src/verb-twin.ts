// One record of anything is shown by `get` or by `view`, as the noun has it; who takes the other word means the same. A noun that
// has both, `component`, means two things by them.
import type { Command } from 'commander';

const TWINS = [
  ['view', 'get'],
  ['get', 'view'],
] as const;

export function addVerbTwins({ commands: nouns }: Command): void {
  for (const { commands: verbs } of nouns) {
    for (const [word, twin] of TWINS) {
      const verb = verbs.find((command) => command.name() === word);
      if (verb !== undefined && !verbs.some((command) => command.name() === twin)) verb.alias(twin);
    }
  }
}
