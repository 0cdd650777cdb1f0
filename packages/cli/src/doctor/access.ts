// What `cairn doctor` asks as the caller: who they are, until when, and what they may do in the repository that is chosen.
import { SCOPE_NAMES } from '@cairn/protocol/scopes';
import { type CairnClient, CairnError, type PermissionAnswer, type Whoami } from '@cairn/sdk';
import { EXIT, exitCodeOf, UsageError } from '../exit-codes.ts';
import type { Io } from '../io.ts';
import { type Choice, signInHint } from '../profile-choice.ts';
import { chooseRepo } from '../repo-choice.ts';
import { parseRepoName, type RepoName } from '../repo-name.ts';
import { formatScope } from '../scope.ts';
import { type Check, note, ok, problem } from './check.ts';

const SOON_MS = 7 * 86_400_000;

export async function checkToken(client: CairnClient, choice: Choice): Promise<{ check: Check; caller?: Whoami }> {
  try {
    const caller = await client.auth.whoami();
    return { check: tokenCheck(caller, choice), caller };
  } catch (error) {
    if (!(error instanceof CairnError) || error.code !== 'UNAUTHENTICATED') throw error;
    const mend = signInHint(choice, error) ?? 'Sign in: cairn auth login.';
    // What else the server says is for programs, and the mend is for people.
    const [message = ''] = error.message.split(/(?<=\.) /);
    return { check: problem('token', { message, mend, exitCode: EXIT.notSignedIn }) };
  }
}

function tokenCheck(caller: Whoami, choice: Choice): Check {
  if (caller.kind === 'anonymous') return anonymousCheck(choice);
  const by = choice.tokenFrom === 'profile' ? `profile ${choice.profileName}` : choice.tokenFrom;
  const message = `${identityOf(caller)}, by ${by}`;
  if (caller.kind === 'session') return ok('token', `${message}; it is refreshed as long as it is used`);
  const until = `${message}; until ${new Date(caller.expiresAt).toISOString()}`;
  if (caller.expiresAt - Date.now() > SOON_MS) return ok('token', until);
  return note('token', `${until}, which is soon`, renewal(caller));
}

function renewal(caller: Exclude<Whoami, { kind: 'anonymous' | 'session' }>): string {
  if (caller.kind === 'component')
    return 'Install the component again, which gives it another: cairn component install.';
  return `Make another in time: cairn token create NAME --scope SCOPE. This one is called ${caller.tokenName}.`;
}

function identityOf(caller: Exclude<Whoami, { kind: 'anonymous' }>): string {
  if (caller.kind === 'component') return `the component ${caller.component} in ${caller.repo}`;
  if (caller.kind === 'session') return `${caller.handle}, signed in`;
  return `${caller.handle}, with the token ${caller.tokenName} (${caller.scopes.map(formatScope).join('; ')})`;
}

function anonymousCheck(choice: Choice): Check {
  const refused = new CairnError('UNAUTHENTICATED', { message: '' });
  return problem('token', {
    message: 'You are not signed in: what is public can be read, nothing else.',
    mend: signInHint(choice, refused) ?? 'Sign in: cairn auth login.',
    exitCode: EXIT.notSignedIn,
  });
}

/** The repository, and what may be done in it. */
export async function checkRepository(
  client: CairnClient,
  io: Io,
  flags: { readonly repo?: string },
): Promise<Check[]> {
  const choice = chosenRepo(io, flags);
  if (choice instanceof UsageError) {
    return [problem('repository', { message: 'None can be used.', mend: choice.message, exitCode: EXIT.usage })];
  }
  if (choice === undefined) {
    return [note('repository', 'None is chosen.', 'Choose one for this folder: cairn use ORG/REPO.')];
  }
  const { name, from } = choice;
  const full = `${name.orgName}/${name.repoName}`;
  try {
    const { visibility, archived, repoSeq } = await client.repo.get(name.orgName, name.repoName);
    const state = archived ? `${visibility}, archived` : visibility;
    return [ok('repository', `${full} (by ${from}), ${state}, at commit ${repoSeq}`), await checkRights(client, name)];
  } catch (error) {
    if (!(error instanceof CairnError)) throw error;
    return [refusedRepository(`${full} (by ${from})`, error)];
  }
}

function refusedRepository(repository: string, error: CairnError): Check {
  if (error.code !== 'NOT_FOUND') {
    const mend = error.hint ?? 'Try another token: cairn auth status shows which one is used.';
    return problem('repository', { message: `${repository}: ${error.message}`, mend, exitCode: exitCodeOf(error) });
  }
  const message = `There is no repository ${repository} that you may see.`;
  const mend = 'List those that you may see: cairn repo list.';
  return problem('repository', { message, mend, exitCode: EXIT.notFound });
}

function chosenRepo(io: Io, flags: { readonly repo?: string }) {
  try {
    const choice = chooseRepo(io, flags);
    return choice && { name: parseRepoName(choice.repo), from: choice.file ?? choice.from };
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

const REPOSITORY_SCOPES = SCOPE_NAMES.filter((scope) => scope.startsWith('repo:'));

async function checkRights(client: CairnClient, { orgName, repoName }: RepoName): Promise<Check> {
  const answers = await Promise.all(
    REPOSITORY_SCOPES.map(async (scope) => ({
      scope,
      answer: await client.access.checkRepoPermission(orgName, repoName, scope),
    })),
  );
  const allowed = answers.filter(({ answer }) => answer.allowed).map(({ scope, answer }) => scopeText(scope, answer));
  const refused = answers.filter(({ answer }) => !answer.allowed);
  const may = `you may ${allowed.join(', ') || 'nothing'}`;
  if (refused.length === 0) return ok('permissions', may);
  const not = `${may}; not ${refused.map(({ scope }) => scope).join(', ')}`;
  const byRole = refused.some(({ answer }) => !answer.byRole);
  const byToken = refused.some(({ answer }) => !answer.byToken);
  return note(
    'permissions',
    not,
    [
      ...(byRole ? [`Your role does not give all of it: who manages ${orgName} can give you another.`] : []),
      ...(byToken ? ['The token does not allow all of it: cairn token create makes one that allows more.'] : []),
    ].join(' '),
  );
}

const scopeText = (scope: string, { narrowed }: PermissionAnswer) => (narrowed ? `${scope} (of some records)` : scope);
