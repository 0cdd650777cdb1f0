// Maps the methods of each surface to calls. Most rows name a procedure and the arguments before the options. Methods
// written by hand do more.
import type { Person } from '@cairn/protocol/organization';
import type { ProcedureName } from '@cairn/protocol/procedure-kinds';
import type { AccessSurface, AuthSurface, DiagnosticsSurface, TokenSurface } from './auth.ts';
import type { CommitSurface } from './commit.ts';
import type { ComponentSurface } from './component.ts';
import { type ExportSurface, mintExport } from './export.ts';
import { type Http, jsonOf } from './http.ts';
import type { ImportSurface } from './import.ts';
import { listOf } from './list.ts';
import type { LiveSurface } from './live-stream.ts';
import type { AuditSurface, OrgSurface, PersonName } from './org.ts';
import type { ManyRequests, RepoSurface } from './repo.ts';
import { endable } from './retry.ts';
import type { ShapeSurface } from './shape.ts';
import type { StreamSurface } from './stream.ts';
import type { ActionSurface, CredentialSurface, SubscriptionSurface } from './subscription.ts';
import type { ThingSurface } from './thing.ts';
import type { Call, CallOptions } from './transport.ts';

/** Fields of a call's input that name its repository. */
export type RepositoryAddress = 'orgName' | 'repoName';

type Names = readonly string[];

/**
 * Names of the arguments before the options; a `person` becomes a `handle` or an `email`. `isList` marks results that
 * come page by page.
 */
interface Row {
  readonly names: Names;
  readonly isList: boolean;
}

/** Derives the methods of a surface from the procedures of the same names. `Own` are the methods written by hand. */
function derive<Surface, Own extends keyof Surface = never>(
  call: Call,
  noun: string,
  rows: Readonly<Record<Exclude<keyof Surface, Own>, Row>>,
): Omit<Surface, Own> {
  const methods = Object.entries<Row>(rows).map(([method, { names, isList }]) => {
    const name = `${noun}.${method}` as ProcedureName;
    const send = isList
      ? (input: object) => listOf(call, name, input as never)
      : (input: object) => call(name, input as never);
    return [method, (...given: unknown[]) => send(inputOf(names, given))];
  });
  return Object.fromEntries(methods);
}

/** Null in place of the repository means the organization itself. */
function inputOf(names: Names, given: readonly unknown[]): object {
  const named = names.map((name, index) => {
    const value = given[index];
    if (name === 'person') return personOf(value as PersonName);
    return name === 'repoName' && value === null ? {} : { [name]: value };
  });
  return Object.assign({}, ...named, given[names.length]);
}

function personOf(name: PersonName): Person {
  if (typeof name !== 'string') return name;
  return name.includes('@') ? { email: name } : { handle: name };
}

const rowsOf = <Method extends string>(methods: readonly Method[], row: Row) =>
  Object.fromEntries(methods.map((method) => [method, row])) as Record<Method, Row>;

const calls = <Method extends string>(names: Names, ...methods: Method[]) => rowsOf(methods, { names, isList: false });
const lists = <Method extends string>(names: Names, ...methods: Method[]) => rowsOf(methods, { names, isList: true });

const NAME = ['name'];
const ORG = ['orgName'];
const REPO = [...ORG, 'repoName'];
const NAMED = [...REPO, 'name'];
const RECORD = [...REPO, 'wref'];
const RUN = [...REPO, 'runId'];
const STREAM = [...REPO, 'streamId'];
const REGISTERED = [...ORG, 'name'];
const INSTALLED = [...REPO, 'component'];

export const accessSurface = (call: Call): AccessSurface =>
  derive<AccessSurface>(call, 'access', {
    ...calls([...REPO, 'permission'], 'checkRepoPermission'),
    ...calls([...ORG, 'permission'], 'checkOrgPermission'),
  });

export const auditSurface = (call: Call): AuditSurface => derive<AuditSurface>(call, 'audit', lists(ORG, 'list'));

export const authSurface = (call: Call): AuthSurface =>
  derive<AuthSurface>(call, 'auth', {
    ...calls([], 'whoami', 'endAllSessions'),
    ...calls(['id'], 'endSession'),
    ...lists([], 'listSessions'),
  });

export const tokenSurface = (call: Call): TokenSurface =>
  derive<TokenSurface>(call, 'token', { ...lists([], 'list'), ...calls(NAME, 'get', 'create', 'rotate', 'revoke') });

export const diagnosticsSurface = (call: Call): DiagnosticsSurface =>
  derive<DiagnosticsSurface>(call, 'diagnostics', calls([], 'capabilities'));

export const orgSurface = (call: Call): OrgSurface =>
  derive<OrgSurface>(call, 'org', {
    ...lists([], 'list'),
    ...lists(ORG, 'listMembers'),
    ...calls(NAME, 'create'),
    ...calls(ORG, 'get', 'update', 'rename', 'archive', 'unarchive'),
    ...calls([...ORG, 'person', 'role'], 'addMember', 'setMemberRole'),
    ...calls([...ORG, 'person'], 'removeMember'),
  });

/** Calls on a repository that make one request each. The others are in repo.ts. */
export const repoCalls = (call: Call): Omit<RepoSurface, keyof ManyRequests> =>
  derive<Omit<RepoSurface, keyof ManyRequests>>(call, 'repo', {
    ...lists([], 'list'),
    ...lists(REPO, 'listRoles', 'checkpoints'),
    ...calls(REGISTERED, 'create'),
    ...calls(REPO, 'get', 'update', 'rename', 'setVisibility', 'archive', 'unarchive', 'delete', 'restore', 'transfer'),
    ...calls(REPO, 'configure', 'describe', 'stats'),
    ...calls(NAMED, 'getContent', 'createCheckpoint', 'deleteCheckpoint'),
    ...calls([...NAMED, 'content'], 'setContent'),
    ...calls([...REPO, 'person', 'role'], 'setRole'),
  });

export const shapeSurface = (call: Call): ShapeSurface =>
  derive<ShapeSurface>(call, 'shape', {
    ...lists(REPO, 'list'),
    ...lists(NAMED, 'history'),
    ...calls(NAMED, 'get', 'create', 'revise', 'retract'),
    ...calls([...NAMED, 'newName'], 'rename'),
  });

export const thingSurface = (call: Call): ThingSurface =>
  derive<ThingSurface>(call, 'thing', {
    ...lists(REPO, 'head', 'query', 'changes'),
    ...lists([...REPO, 'q'], 'search'),
    ...lists(RECORD, 'about', 'history', 'names', 'refs'),
    ...calls(REPO, 'count'),
    ...calls(RECORD, 'get', 'graph', 'diff'),
    ...calls([...REPO, 'wrefs'], 'getMany'),
    ...calls([...NAMED, 'newName'], 'rename'),
  });

export const commitSurface = (call: Call): CommitSurface => ({
  ...derive<CommitSurface, 'submit' | 'validate'>(call, 'commit', {
    ...lists(REPO, 'log'),
    ...calls([...REPO, 'repoSeq'], 'get'),
    ...calls([...REPO, 'submissionId'], 'receipt'),
  }),
  submit: (orgName, repoName, { operations, ...options }) =>
    call('commit.submit', { orgName, repoName, ...options, operations: [...operations] }),
  validate: (orgName, repoName, { operations, ...options }) =>
    call('commit.validate', { orgName, repoName, ...options, operations: [...operations] }),
});

export const exportSurface = (call: Call, http: Http): ExportSurface => ({
  ...derive<ExportSurface, 'mint'>(call, 'export', calls([...REPO, 'exportToken'], 'status')),
  mint: (orgName, repoName, options = {}) => mintExport(http, { orgName, repoName }, options),
});

export const importSurface = (call: Call): ImportSurface =>
  derive<ImportSurface>(call, 'import', {
    ...calls([...REPO, 'header'], 'begin'),
    ...calls([...REPO, 'importId'], 'append'),
    ...calls([...REPO, 'importId', 'end'], 'finish'),
    ...calls(REPO, 'abort'),
  });

export const liveSurface = (call: Call): LiveSurface => derive<LiveSurface>(call, 'live', calls(REPO, 'issueTicket'));

export const streamSurface = (call: Call): StreamSurface =>
  derive<StreamSurface>(call, 'stream', calls(STREAM, 'status', 'close'));

export const subscriptionSurface = (call: Call): SubscriptionSurface =>
  derive<SubscriptionSurface>(call, 'subscription', {
    ...lists(REPO, 'list'),
    ...lists([...REPO, 'filter'], 'preview'),
    ...calls(NAMED, 'get', 'create', 'update', 'pause', 'resume', 'delete', 'unbindCredentials', 'reveal', 'test'),
    ...calls([...NAMED, 'credentialSet'], 'bindCredentials'),
  });

export const actionSurface = (call: Call): ActionSurface => ({
  ...derive<ActionSurface, 'callback'>(call, 'action', {
    ...lists(REPO, 'runs', 'notifications'),
    ...lists(RUN, 'attempts'),
    ...calls(RUN, 'retry', 'giveUp'),
  }),
  callback: (runId, report, options) => call('action.callback', { runId, ...report, ...options }),
});

export const credentialSurface = (call: Call): CredentialSurface =>
  derive<CredentialSurface>(call, 'credential', {
    ...lists(REPO, 'list'),
    ...lists(NAMED, 'audit'),
    ...calls(NAMED, 'get', 'create', 'revoke', 'delete'),
    ...calls([...NAMED, 'keys'], 'setKeys'),
    ...calls([...NAMED, 'key'], 'unsetKey'),
  });

export const componentSurface = (call: Call, http: Http): ComponentSurface => ({
  ...derive<ComponentSurface, 'resolve' | 'setupCall' | 'exec'>(call, 'component', {
    ...lists([], 'registry'),
    ...lists(REPO, 'list'),
    ...calls(REGISTERED, 'register', 'publish', 'view', 'unregister'),
    ...calls(INSTALLED, 'install', 'get', 'doctor', 'update', 'pause', 'resume', 'teardown'),
  }),
  resolve: (orgName, name, installRepo, options) =>
    send(http, `${pathOf(orgName, name)}/resolve`, { installRepo }, options),
  setupCall: (orgName, name, body, options) => send(http, `${pathOf(orgName, name)}/setup-call`, body, options),
  exec: (orgName, repoName, component, method, args = {}, options) =>
    call('component.exec', { orgName, repoName, component, method, args, ...options }),
});

const pathOf = (orgName: string, name: string) =>
  `api/component-registry/${encodeURIComponent(orgName)}/${encodeURIComponent(name)}`;

/** The install handshake has its own routes, and no procedures. */
async function send<Answer>(
  http: Http,
  path: string,
  given: object,
  { signal: asked }: CallOptions = {},
): Promise<Answer> {
  const headers = { 'content-type': 'application/json' };
  const body = new TextEncoder().encode(JSON.stringify(given));
  return await endable(asked, async (signal) => jsonOf<Answer>(await http.post(path, {}, { headers, body, signal })));
}
