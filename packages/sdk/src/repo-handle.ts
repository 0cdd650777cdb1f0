// One repository, by its name: every call on it, without saying which it is.
import { fail } from '@cairn/protocol/errors';
import type { PermissionAnswer } from '@cairn/protocol/member';
import type { Scope } from '@cairn/protocol/scopes';
import type { ActionSurface } from './action.ts';
import type { CairnClient } from './client.ts';
import type { CommitSurface } from './commit.ts';
import { CommitBuilder, type CommitOptions } from './commit-builder.ts';
import type { ComponentSurface } from './component.ts';
import type { CredentialSurface } from './credential.ts';
import type { ExportSurface } from './export.ts';
import type { ImportSurface } from './import.ts';
import type { RepoSurface } from './repo.ts';
import { type Bound, type BoundTo, bind } from './repo-bound.ts';
import { type RepoShapes, repoShapes } from './repo-shapes.ts';
import { type RepoThings, repoThings } from './repo-things.ts';
import type { StreamSurface } from './stream.ts';
import type { SubscriptionSurface } from './subscription.ts';
import type { CallOptions } from './transport.ts';

/** What is said of repositories in general. */
const OF_ALL = ['list', 'create'] as const;
/** What is said of a run by its id alone. */
const OF_RUN = ['callback'] as const;
/** What is said of the registry, and not of what is installed. */
const OF_REGISTRY = ['register', 'publish', 'registry', 'view', 'unregister', 'resolve', 'setupCall'] as const;

/**
 * One repository. Its calls are those of the surfaces, without the names of the organization and the repository; `things`,
 * `shapes`, `commits` and so on hold what belongs to each.
 *
 * @example
 * const repo = client.repo('acme/world');
 * await repo.commit('The first cave').add('Location/cave', { x: 3 }).submit();
 * for await (const { name } of repo.things.query({ shape: 'Location' })) console.log(name);
 * for await (const { message } of repo.commits.log()) console.log(message);
 * const { shapes } = await repo.describe();
 * const { allowed } = await repo.checkPermission('repo:write');
 */
export interface RepoHandle extends Bound<Omit<RepoSurface, (typeof OF_ALL)[number]>> {
  /** The organization that it was asked for by. */
  readonly orgName: string;
  /** The name that it was asked for by; a rename does not change it. */
  readonly repoName: string;
  /** Records. */
  readonly things: RepoThings;
  /** Shapes. */
  readonly shapes: RepoShapes;
  /** Commits that were made, and those that are made without the builder. */
  readonly commits: Bound<CommitSurface>;
  /** Which commits are told to webhooks. */
  readonly subscriptions: Bound<SubscriptionSurface>;
  /** What became of subscriptions. */
  readonly actions: Bound<Omit<ActionSurface, (typeof OF_RUN)[number]>>;
  /** Secrets that deliveries are sent with. */
  readonly credentials: Bound<CredentialSurface>;
  /** What is installed. */
  readonly components: Bound<Omit<ComponentSurface, (typeof OF_REGISTRY)[number]>>;
  /** Streams of submissions, call by call; `stream` sends one. */
  readonly streams: Bound<StreamSurface>;
  /** Exports as jobs, call by call; `exportToFile` has one built and downloads it. */
  readonly exports: Bound<ExportSurface>;
  /** Imports, call by call; `import` makes all of them. */
  readonly imports: Bound<ImportSurface>;
  /** A commit put together step by step. */
  commit(message?: string, options?: CommitOptions): CommitBuilder;
  /** Whether the caller may do something here, and why. */
  checkPermission(permission: Scope, options?: CallOptions): Promise<PermissionAnswer>;
}

export function repoHandle(client: CairnClient, name: string): RepoHandle {
  const repo = repoNamed(name);
  const commits = bind(client.commit, repo);
  return {
    ...bind(client.repo, repo, OF_ALL),
    ...repo,
    things: repoThings(client.thing, repo),
    shapes: repoShapes(client.shape, repo),
    commits,
    subscriptions: bind(client.subscription, repo),
    actions: bind(client.action, repo, OF_RUN),
    credentials: bind(client.credential, repo),
    components: bind(client.component, repo, OF_REGISTRY),
    streams: bind(client.stream, repo),
    exports: bind(client.export, repo),
    imports: bind(client.import, repo),
    commit: (message, options = {}) => new CommitBuilder(commits, message, options),
    checkPermission: (permission, options) =>
      client.access.checkRepoPermission(repo.orgName, repo.repoName, permission, options),
  };
}

function repoNamed(name: string): BoundTo {
  const [, orgName, repoName] = /^([^/]+)\/([^/]+)$/.exec(name) ?? [];
  if (orgName !== undefined && repoName !== undefined) return { orgName, repoName };
  throw fail('VALIDATION_ERROR', {
    message: `${JSON.stringify(name)} names no repository. Write its organization and its name, such as acme/world.`,
  });
}
