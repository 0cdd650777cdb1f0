// tRPC at /trpc: the procedure table of `protocol`, each name bound to the operation that does it.

import type { Access } from '@cairn/protocol/access';
import { fail } from '@cairn/protocol/errors';
import { scanJson } from '@cairn/protocol/json-scan';
import { PROCEDURE_KINDS, type ProcedureName } from '@cairn/protocol/procedure-kinds';
import { PROCEDURE_NAMES, PROCEDURES, type ProcedureArguments, type ProcedureOutput } from '@cairn/protocol/procedures';
import { initTRPC } from '@trpc/server';
import { fetchRequestHandler } from '@trpc/server/adapters/fetch';
import * as action from '../operations/action.ts';
import { listAudit } from '../operations/audit.ts';
import { whoami } from '../operations/auth.ts';
import * as change from '../operations/change.ts';
import * as checkpoint from '../operations/checkpoint.ts';
import * as commit from '../operations/commit.ts';
import { execCommand } from '../operations/component/command.ts';
import * as ending from '../operations/component/end.ts';
import * as install from '../operations/component/install.ts';
import * as registry from '../operations/component/registry.ts';
import * as content from '../operations/content.ts';
import type { Context } from '../operations/context.ts';
import * as credentialSet from '../operations/credential-set.ts';
import * as description from '../operations/description.ts';
import { capabilities } from '../operations/diagnostics.ts';
import * as exportJob from '../operations/export-job.ts';
import * as imports from '../operations/import.ts';
import * as live from '../operations/live.ts';
import * as member from '../operations/member.ts';
import * as org from '../operations/org.ts';
import { checkOrgPermission, checkRepoPermission } from '../operations/permission.ts';
import * as read from '../operations/read.ts';
import * as reference from '../operations/reference.ts';
import * as repo from '../operations/repo.ts';
import * as session from '../operations/session.ts';
import * as shape from '../operations/shape.ts';
import * as stream from '../operations/stream.ts';
import * as subscription from '../operations/subscription.ts';
import { testSubscription } from '../operations/test-delivery.ts';
import * as thing from '../operations/thing.ts';
import * as token from '../operations/token.ts';
import { answer } from './edge/answer.ts';
import { readBody } from './edge/body.ts';
import { type EdgeContext, operationContext, type RouteHandler } from './edge/env.ts';
import { challenge, logFault, retryHeader, toCairnError, trpcErrorShape } from './edge/error.ts';
import { refuseComponent } from './edge/guard.ts';

type Operations = {
  readonly [Name in ProcedureName]: (
    context: Context,
    input: ProcedureArguments<Name>,
  ) => Promise<ProcedureOutput<Name>>;
};

const OPERATIONS: Operations = {
  'auth.whoami': whoami,
  'auth.listSessions': session.listSessions,
  'auth.endSession': session.endSession,
  'auth.endAllSessions': session.endAllSessions,
  'access.checkRepoPermission': checkRepoPermission,
  'access.checkOrgPermission': checkOrgPermission,
  'org.get': org.getOrg,
  'org.list': org.listOrgs,
  'org.create': org.createOrg,
  'org.update': org.updateOrg,
  'org.rename': org.renameOrg,
  'org.archive': org.archiveOrg,
  'org.unarchive': org.unarchiveOrg,
  'org.listMembers': member.listMembers,
  'org.addMember': member.addMember,
  'org.removeMember': member.removeMember,
  'org.setMemberRole': member.setMemberRole,
  'repo.get': repo.getRepo,
  'repo.list': repo.listRepos,
  'repo.create': repo.createRepo,
  'repo.update': repo.updateRepo,
  'repo.rename': repo.renameRepo,
  'repo.setVisibility': repo.setRepoVisibility,
  'repo.archive': repo.archiveRepo,
  'repo.unarchive': repo.unarchiveRepo,
  'repo.delete': repo.deleteRepo,
  'repo.restore': repo.restoreRepo,
  'repo.transfer': repo.transferRepo,
  'repo.configure': repo.configureRepo,
  'repo.listRoles': member.listRoles,
  'repo.setRole': member.setRole,
  'repo.stats': description.repoStats,
  'repo.describe': description.describeRepo,
  'repo.getContent': content.getContent,
  'repo.setContent': content.setContent,
  'repo.checkpoints': checkpoint.listCheckpoints,
  'repo.createCheckpoint': checkpoint.createCheckpoint,
  'repo.deleteCheckpoint': checkpoint.deleteCheckpoint,
  'shape.list': shape.listShapes,
  'shape.get': shape.getShape,
  'shape.history': shape.getShapeHistory,
  'shape.create': shape.createShape,
  'shape.revise': shape.reviseShape,
  'shape.retract': shape.retractShape,
  'shape.rename': shape.renameShape,
  'thing.head': read.getHead,
  'thing.get': thing.getThing,
  'thing.getMany': thing.getThings,
  'thing.history': thing.getHistory,
  'thing.query': read.queryThings,
  'thing.about': read.getAbout,
  'thing.refs': reference.getRefs,
  'thing.graph': reference.getGraph,
  'thing.search': read.searchThings,
  'thing.count': read.countThings,
  'thing.changes': change.getChanges,
  'thing.diff': change.getDiff,
  'thing.rename': thing.renameThing,
  'commit.submit': commit.submitCommit,
  'commit.validate': commit.validateCommit,
  'commit.get': commit.getCommit,
  'commit.log': commit.logCommits,
  'commit.receipt': commit.getReceipt,
  'export.status': exportJob.getExportStatus,
  'import.begin': imports.beginImport,
  'import.append': imports.appendImport,
  'import.finish': imports.finishImport,
  'import.abort': imports.abortImport,
  'stream.status': stream.getStreamStatus,
  'stream.close': stream.closeStream,
  'live.issueTicket': live.issueTicket,
  'subscription.list': subscription.listSubscriptions,
  'subscription.get': subscription.getSubscription,
  'subscription.create': subscription.createSubscription,
  'subscription.update': subscription.updateSubscription,
  'subscription.pause': subscription.pauseSubscription,
  'subscription.resume': subscription.resumeSubscription,
  'subscription.delete': subscription.deleteSubscription,
  'subscription.bindCredentials': subscription.bindCredentials,
  'subscription.unbindCredentials': subscription.unbindCredentials,
  'subscription.reveal': subscription.revealSubscription,
  'subscription.test': testSubscription,
  'action.runs': action.listRuns,
  'action.attempts': action.listAttempts,
  'action.notifications': action.listNotifications,
  'action.retry': action.retryRun,
  'action.callback': action.reportRun,
  'credential.list': credentialSet.listCredentialSets,
  'credential.get': credentialSet.getCredentialSet,
  'credential.create': credentialSet.createCredentialSet,
  'credential.setKeys': credentialSet.setCredentialKeys,
  'credential.unsetKey': credentialSet.unsetCredentialKey,
  'credential.revoke': credentialSet.revokeCredentialSet,
  'credential.delete': credentialSet.deleteCredentialSet,
  'credential.audit': credentialSet.listCredentialEvents,
  'component.register': registry.registerComponent,
  'component.publish': registry.publishComponent,
  'component.registry': registry.listRegistry,
  'component.view': registry.viewComponent,
  'component.unregister': registry.unregisterComponent,
  'component.install': install.installComponent,
  'component.list': install.listInstalls,
  'component.get': install.getInstall,
  'component.doctor': install.examineInstall,
  'component.update': install.updateComponent,
  'component.pause': ending.pauseInstall,
  'component.resume': ending.resumeInstall,
  'component.teardown': ending.tearDownInstall,
  'component.exec': execCommand,
  'audit.list': listAudit,
  'token.list': token.listTokens,
  'token.get': token.getToken,
  'token.create': token.createToken,
  'token.rotate': token.rotateToken,
  'token.revoke': token.revokeToken,
  'diagnostics.capabilities': capabilities,
};

const ENDPOINT = '/trpc';
// A record's data may be 64 levels deep, inside an operation, inside a list, inside the input, inside a batch. How deep
// data is exactly is decided where it is stored.
const JSON_DEPTH_MAX = 200;

/** Built once at start. `checkOutput` holds every answer against the table; tests do, production saves the time. */
export function createRpc({ checkOutput }: { checkOutput: boolean }): RouteHandler {
  const router = createRouter(checkOutput);
  return async (c) => {
    const request = await checkedRequest(c);
    // Of a batch, when all its calls may be sent again.
    let retryAfter: number | undefined;
    const made = await fetchRequestHandler({
      endpoint: ENDPOINT,
      req: request,
      router,
      createContext: () => operationContext(c),
      allowMethodOverride: true,
      maxBatchSize: c.get('deps').settings.limits.batchCalls,
      onError: ({ error }) => {
        const thrown = toCairnError(error);
        if (thrown.retryAfter !== undefined) retryAfter = Math.max(retryAfter ?? 0, thrown.retryAfter);
        logFault(c, thrown);
      },
    });
    const headers = {
      'cache-control': 'private, no-cache',
      vary: 'Authorization',
      ...(made.status === 401 && challenge(c)),
      ...retryHeader(retryAfter),
    };
    return answer(c, { status: made.status, body: await made.text(), contentType: 'application/json', headers });
  };
}

/** The request as tRPC is to see it: of a method that it knows, within the limits, and with input that parsing keeps. */
async function checkedRequest(c: EdgeContext): Promise<Request> {
  const { method } = c.req;
  if (method === 'GET' || method === 'HEAD') {
    const input = c.req.query('input');
    if (input !== undefined) scanJson(input, { maxDepth: JSON_DEPTH_MAX });
    return new Request(c.req.url);
  }
  if (method !== 'POST') {
    const allow = 'GET, HEAD, POST';
    throw fail('METHOD_NOT_ALLOWED', { message: `Use ${allow} on this path.`, details: { allow } });
  }
  const maxBytes = c.get('deps').settings.limits.jsonBodyBytes;
  const body = await readBody(c, { contentType: 'application/json', maxBytes });
  if (body !== '') scanJson(body, { maxDepth: JSON_DEPTH_MAX });
  return new Request(c.req.url, { method, headers: { 'content-type': 'application/json' }, body });
}

function createRouter(checkOutput: boolean) {
  const t = initTRPC.context<Context>().create({
    errorFormatter: ({ error, path }) => trpcErrorShape(toCairnError(error), path),
  });
  const nouns: Record<string, Record<string, ReturnType<typeof procedure>>> = {};
  const procedure = (name: ProcedureName) => {
    const { input, output } = PROCEDURES[name];
    const access: Access = PROCEDURES[name].access;
    const operation = OPERATIONS[name] as (context: Context, input: unknown) => Promise<unknown>;
    const resolve = ({ ctx, input }: { ctx: Context; input: unknown }) => {
      refuseComponent(ctx.principal, access);
      return operation(ctx, input);
    };
    const checked = t.procedure.input(input);
    const built = checkOutput ? checked.output(output) : checked;
    // The table is typed by `Operations`; here, where names are looped over, the types have met already.
    const make = built[PROCEDURE_KINDS[name]] as (resolver: typeof resolve) => ReturnType<typeof t.procedure.query>;
    return make(resolve);
  };
  for (const name of PROCEDURE_NAMES) {
    const [noun = '', verb = ''] = name.split('.');
    nouns[noun] = { ...nouns[noun], [verb]: procedure(name) };
  }
  return t.router(nouns);
}
