// Methods of installed components: who may call which, with which arguments, and where. What is sent and what the answer
// means stands in command-call.ts.
import type { ExecAnswer } from '@cairn/protocol/component';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { CliMethod } from '@cairn/protocol/manifest';
import type { ProcedureArguments } from '@cairn/protocol/procedures';
import { authorize, hasScope } from '../access/access.ts';
import { audited } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import type { Grant } from '../access/grant.rule.ts';
import { requireCredential } from '../access/requirement.ts';
import { unnarrowed } from '../commit/single-write.ts';
import { findRecords } from '../read/record.sql.ts';
import { componentRefOf, originsOf, seeComponent } from './access.ts';
import { readArguments } from './command-argument.rule.ts';
import { type Command, callCommand, openCommand } from './command-call.ts';
import { type FoundComponent, fullNameOf } from './component.sql.ts';
import { type FoundInstall, findInstall } from './install.sql.ts';
import { installedManifest } from './manifest-operation.ts';

type CommandRequest = ProcedureArguments<'component.exec'>;

/** The order of the refusals is the design's: each tells no more than the caller knows by the one before. */
export async function execCommand(context: Context, request: CommandRequest): Promise<ExecAnswer> {
  const { orgName, repoName, component, args } = request;
  requireCredential(context.principal, 'repo:read');
  const grant = await authorize(context, { orgName, repoName }, 'repo:read');
  const found = await seeComponent(context, componentRefOf(component));
  const install = await findInstalled(context, grant, found);
  const method = findMethod(grant, install, request.method);
  requirePermission(context, grant, method);
  if (install.state === 'paused') {
    throw conflict('paused', `The component ${component} is paused here. Resume it to call its methods.`);
  }
  const { values, problems } = readArguments(method.args, args);
  if (problems.length > 0) throw badArguments(problems);
  const command = { grant, component: found, method, values, url: await findUrl(context, grant, { found, method }) };
  const opened = await openCommand(context, command);
  await context.store.write('recordAudit', told(context, command));
  return await callCommand(context, command, opened);
}

async function findInstalled({ store }: Context, { repoId }: Grant, found: FoundComponent): Promise<FoundInstall> {
  const { componentId, orgName, name } = found;
  const install = await findInstall(store.database, { repoId, componentId });
  if (install !== undefined && install.state !== 'uninstalled') return install;
  const message = `The component ${orgName}/${name} is not installed in this repository. Install it first.`;
  throw conflict('not_installed', message);
}

function findMethod(grant: Grant, install: FoundInstall, name: string): CliMethod {
  const methods = installedManifest(grant, install).cli?.methods ?? [];
  const method = methods.find((candidate) => candidate.name === name);
  if (method !== undefined) return method;
  const known = methods.length === 0 ? 'It has none.' : `It has ${methods.map((one) => one.name).join(', ')}.`;
  throw fail('NOT_FOUND', { message: `The component has no method of this name. ${known}` });
}

function requirePermission(context: Context, grant: Grant, { name, requiresPermission: scope }: CliMethod): void {
  // What is public is read by everyone; what a method asks for besides must be held.
  if (scope === undefined || hasScope(context, grant, scope)) return;
  const message = `The method ${name} needs the scope ${scope} on this repository. Use a token that has it.`;
  throw fail('FORBIDDEN', { message, details: { missing: [scope] } });
}

function badArguments(problems: readonly { path: string; message: string }[]): CairnError {
  const message = problems.map((problem) => `${problem.path}: ${problem.message}`).join(' ');
  return fail('VALIDATION_ERROR', { message, details: problems });
}

interface Called {
  readonly found: FoundComponent;
  readonly method: CliMethod;
}

/** Where the method is: who may write the record decides the path, and only the registration which origins there are. */
async function findUrl(context: Context, grant: Grant, { found, method }: Called): Promise<URL> {
  const base = await findBaseUrl(context, grant, found.name);
  const hint = `Set cliBaseUrl in ComponentConfig/${found.name}.`;
  if (base === undefined) throw conflict('no_base_url', `It is not known where the component is called. ${hint}`);
  const url = URL.parse(base);
  if (url === null || !originsOf(found).includes(url.origin) || url.username + url.password + url.hash !== '') {
    const message = `The cliBaseUrl of the component is not at an origin that it is registered with. ${hint}`;
    throw conflict('foreign_origin', message);
  }
  return new URL(url.origin + url.pathname.replace(/\/+$/, '') + (method.path ?? `/${method.name}`));
}

async function findBaseUrl({ store }: Context, grant: Grant, local: string): Promise<string | undefined> {
  const wref = { name: { shapeName: 'ComponentConfig', local }, version: undefined };
  const request = { wrefs: [wref], atRepoSeq: grant.repository.repoSeq };
  // The server reads it for itself: of what it holds the caller learns nothing.
  const [record] = await findRecords(store.database, unnarrowed(grant), request);
  const { cliBaseUrl } = (record?.active ? record.data : {}) as { cliBaseUrl?: unknown };
  return typeof cliBaseUrl === 'string' ? cliBaseUrl : undefined;
}

function conflict(reason: string, message: string): CairnError {
  return fail('CONFLICT', { message, details: { reason } });
}

function told(context: Context, { grant, component, method }: Command) {
  const { repository, orgId } = grant;
  return audited(context, {
    action: 'component.exec',
    target: `${repository.orgName}/${repository.name}/${component.name}`,
    details: { component: fullNameOf(component), method: method.name },
    places: [{ orgId }],
  });
}
