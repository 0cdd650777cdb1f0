// Calls methods of installed components.
import { createHmac, hash } from 'node:crypto';
import { scanJson } from '@cairn/model/json';
import { attempt } from '@cairn/model/problem';
import type { ExecAnswer } from '@cairn/protocol/component';
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { CliMethod } from '@cairn/protocol/manifest';
import type { ProcedureArguments } from '@cairn/protocol/procedures';
import { VERSION } from '@cairn/protocol/version';
import { authorize, hasScope, requireCredential } from '../access/access.ts';
import { auditedIn } from '../access/audit.ts';
import type { Context } from '../access/context.ts';
import { type Grant, homeIdOf } from '../access/grant.rule.ts';
import type { OutboundAnswer, OutboundFailure, OutboundRequest } from '../action/delivery/client.ts';
import { findCredentialSetId } from '../action/delivery/credential-set.sql.ts';
import { openValues } from '../action/delivery/credential-set.ts';
import type { UseRefusal } from '../action/delivery/credential-set-use.write.ts';
import { secretsOf } from '../action/delivery/delivery-header.ts';
import { unnarrowed } from '../commit/commit.ts';
import { createScrubber } from '../keys/scrub.ts';
import { findRecords } from '../read/record.sql.ts';
import { componentRefOf, originsOf, seeComponent } from './access.ts';
import { messageIn } from './call.ts';
import { type FoundComponent, fullNameOf } from './component.sql.ts';
import { installedManifest } from './declaration.ts';
import { type FoundInstall, findInstall } from './install.sql.ts';
import { readArguments } from './manifest.rule.ts';

type CommandRequest = ProcedureArguments<'component.exec'>;

/** The order of the checks matters: no error reveals more than the caller learned from the previous check. */
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
  if (problems.length > 0) {
    const message = problems.map((problem) => `${problem.path}: ${problem.message}`).join(' ');
    throw fail('VALIDATION_ERROR', { message, details: problems });
  }
  const command = { grant, component: found, method, values, url: await findUrl(context, grant, found, method) };
  const { secret, scrub } = await openCommand(context, command);
  const details = { component: fullNameOf(found), method: method.name };
  await context.store.write.recordAudit(auditedIn(context, grant, 'component.exec', details, found.name));
  return answerOf(await context.outbound.send(requestOf(command, secret)), scrub);
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
  throw fail('NOT_FOUND', { message: `The component has no method with this name. ${known}` });
}

function requirePermission(context: Context, grant: Grant, { name, requiresPermission: scope }: CliMethod): void {
  // Everyone may read a public repository, so the method's scope is checked in addition.
  if (scope === undefined || hasScope(context, grant, scope)) return;
  const message = `The method ${name} needs the scope ${scope} on this repository. Use a token that has it.`;
  throw fail('FORBIDDEN', { message, details: { missing: [scope] } });
}

/** Writers of the ComponentConfig record choose the path; only the registration decides the allowed origins. */
async function findUrl(context: Context, grant: Grant, found: FoundComponent, method: CliMethod): Promise<URL> {
  const base = await findBaseUrl(context, grant, found.name);
  const hint = `Set cliBaseUrl in ComponentConfig/${found.name}.`;
  if (base === undefined) throw conflict('no_base_url', `The component has no address for calls. ${hint}`);
  const url = URL.parse(base);
  if (url === null || !originsOf(found).includes(url.origin) || url.username + url.password + url.hash !== '') {
    const message = `The cliBaseUrl of the component is not at one of its registered origins. ${hint}`;
    throw conflict('foreign_origin', message);
  }
  return new URL(url.origin + url.pathname.replace(/\/+$/, '') + (method.path ?? `/${method.name}`));
}

async function findBaseUrl({ store }: Context, grant: Grant, local: string): Promise<string | undefined> {
  const wref = { name: { shapeName: 'ComponentConfig', local }, version: undefined };
  const request = { wrefs: [wref], atRepoSeq: grant.repository.repoSeq };
  // The server reads the record for itself, and the caller learns nothing of its content.
  const [record] = await findRecords(store.database, unnarrowed(grant), request);
  const { cliBaseUrl } = (record?.active ? record.data : {}) as { cliBaseUrl?: unknown };
  return typeof cliBaseUrl === 'string' ? cliBaseUrl : undefined;
}

function conflict(reason: string, message: string): CairnError {
  return fail('CONFLICT', { message, details: { reason } });
}

const ANSWER_BYTES_MAX = 2 ** 20;
const ANSWER_DEPTH_MAX = 64;
/** A shorter value may be an ordinary word of the answer, so it is not removed. */
const SECRET_CHARACTERS_MIN = 8;

interface Command {
  readonly grant: Grant;
  readonly component: FoundComponent;
  readonly method: CliMethod;
  readonly values: ReadonlyMap<string, string | number | boolean>;
  readonly url: URL;
}

interface OpenedCommand {
  readonly secret: string;
  scrub(text: string): string;
}

async function openCommand(context: Context, command: Command): Promise<OpenedCommand> {
  const { grant, component, method, url } = command;
  const homeId = homeIdOf(grant);
  const named = fullNameOf(component);
  const set = { homeId, name: method.credentialSet, component: named };
  const credentialSetId = await findCredentialSetId(context.store.database, set);
  if (credentialSetId === undefined) throw unsigned(command, 'missing');
  const use = { homeId, credentialSetId, actor: `component:${named}`, origin: url.origin };
  const details = { method: method.name };
  const values = await openValues(context, { ...use, target: 'command', details }, [COMMAND_SECRET]);
  if (typeof values === 'string') throw unsigned(command, values);
  const secrets = secretsOf(values).filter(({ length }) => length >= SECRET_CHARACTERS_MIN);
  return { secret: values.get(COMMAND_SECRET) ?? '', scrub: createScrubber(secrets) };
}

function unsigned({ grant: { repository }, method: { credentialSet } }: Command, reason: UseRefusal): CairnError {
  const repo = `${repository.orgName}/${repository.name}`;
  const message =
    reason === 'revoked'
      ? `The credential set ${credentialSet} was revoked. Delete it, and install the component again to get another.`
      : `The key ${COMMAND_SECRET}, which signs the call, is not set. If the setup endpoint sets it, install the component again. Otherwise run: cairn credential set ${credentialSet} ${COMMAND_SECRET} --repo ${repo}`;
  return fail('CONFLICT', { message, details: { reason: `credentials_${reason}`, credentialSet } });
}

function requestOf({ grant, method: { method }, values, url }: Command, secret: string): OutboundRequest {
  const inQuery = method === 'GET' || method === 'DELETE';
  const asked = new URL(url);
  if (inQuery) for (const [name, value] of values) asked.searchParams.append(name, String(value));
  const body = inQuery ? '' : JSON.stringify(Object.fromEntries(values));
  const installRepo = `${grant.repository.orgName}/${grant.repository.name}`;
  const headers = {
    'x-cairn-install-repo': installRepo,
    ...signatureOf(secret, [
      method,
      asked.host,
      asked.pathname + asked.search,
      installRepo,
      hash('sha256', body, 'hex'),
    ]),
    accept: 'application/json',
    'user-agent': `Cairn/${VERSION}`,
    ...(!inQuery && { 'content-type': 'application/json' }),
  };
  const sent = inQuery ? {} : { body };
  return { method, url: asked.href, headers, ...sent, answerBytesMax: ANSWER_BYTES_MAX };
}

function answerOf(answer: OutboundAnswer | OutboundFailure, scrub: (text: string) => string): ExecAnswer {
  if (answer.kind === 'failure') throw notReached(answer);
  const { status, body, truncated } = answer;
  if (status >= 400 && status < 500) {
    const said = messageIn(body, scrub);
    const message = `The component answered ${status}${said === undefined ? '.' : `: ${said}`}`;
    throw fail('VALIDATION_ERROR', { message, details: { status } });
  }
  if (status < 200 || status > 299) {
    const why = status < 400 ? 'Cairn does not follow redirects.' : 'Try again, or ask its operator.';
    throw fail('UPSTREAM_ERROR', { message: `The component answered ${status}. ${why}`, details: { status } });
  }
  if (truncated) {
    const message = `The component answered with more than ${ANSWER_BYTES_MAX} bytes. Ask for less.`;
    throw fail('UPSTREAM_ERROR', { message, details: { status, maxBytes: ANSWER_BYTES_MAX } });
  }
  return { status, body: readAs(answer.headers['content-type'], scrub(body)) };
}

function notReached({ code, message }: OutboundFailure): CairnError {
  const late = code === 'TIMEOUT' || code === 'CONNECT_TIMEOUT';
  return fail(late ? 'UPSTREAM_TIMEOUT' : 'UPSTREAM_ERROR', {
    message: `The component ${code === 'TIMEOUT' ? 'was too slow' : 'could not be reached'}. ${message}`,
    details: { reason: code },
  });
}

/** Text that would change by parsing, such as large numbers, is returned unparsed. */
function readAs(contentType: string | undefined, text: string): unknown {
  if (!/^application\/(?:[a-z0-9.+-]+\+)?json\b/i.test(contentType ?? '')) return text;
  const problem = attempt(() => scanJson(text, { maxDepth: ANSWER_DEPTH_MAX }));
  return problem === undefined ? JSON.parse(text) : text;
}

const COMMAND_SECRET = 'CLI_SIGNING_SECRET';

/** The signed text includes the host, so that the signature is useless for another one. */
function signatureOf(secret: string, signed: readonly string[]): Record<string, string> {
  const timestamp = String(Date.now());
  const signature = createHmac('sha256', secret)
    .update([timestamp, ...signed].join('.'))
    .digest('hex');
  return { 'x-cairn-timestamp': timestamp, 'x-cairn-signature': signature };
}
