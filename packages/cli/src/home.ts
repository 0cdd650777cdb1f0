// Whose a command is about: what belongs to a repository, or with `--org` to an organization itself.
import type { Command } from 'commander';
import { UsageError } from './exit-codes.ts';
import type { Io } from './io.ts';
import { type GlobalFlags, openSession, repoOf, type Session } from './session.ts';

export interface HomeName {
  readonly orgName: string;
  readonly repoName: string | null;
}

export function addHome(command: Command): Command {
  return command.option('--org <org>', "what is the organization's own, instead of a repository's");
}

/** A repository that the environment names gives way to `--org`. */
export function homeOf(io: Io, command: Command): HomeName {
  const { org, repo }: GlobalFlags & { org?: string } = command.optsWithGlobals();
  if (org === undefined) return repoOf(io, command);
  if (repo !== undefined) throw new UsageError('Give either --org or --repo.');
  return { orgName: org, repoName: null };
}

export function openHome(io: Io, command: Command): Session & HomeName {
  return { ...homeOf(io, command), ...openSession(io, command) };
}
