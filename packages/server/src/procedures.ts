// The operation behind each procedure, for every transport.
import { INPUT_WORDS } from '@cairn/protocol/input-words';
import { type ProcedureName, QUERIES } from '@cairn/protocol/procedure-kinds';
import { PROCEDURES, type ProcedureInput, type ProcedureOutput } from '@cairn/protocol/procedures';
import { listAudit } from './access/audit.ts';
import type { Context, Operation } from './access/context.ts';
import * as token from './access/token.ts';
import { checkOrgPermission, checkRepoPermission, whoami } from './access/whoami.ts';
import * as session from './account/session.ts';
import * as action from './action/action.ts';
import * as credentialSet from './action/delivery/credential-set.ts';
import { testSubscription } from './action/delivery/delivery.ts';
import * as subscription from './action/subscription.ts';
import { capabilities } from './admin/diagnostics.ts';
import * as commit from './commit/commit.ts';
import { execCommand } from './component/command.ts';
import * as install from './component/install.ts';
import * as registry from './component/registry.ts';
import { withinBounds } from './engine/read-bounds.ts';
import * as exportJob from './export/export-job.ts';
import * as reference from './graph/reference.ts';
import * as imports from './import/import.ts';
import * as live from './live/live.ts';
import * as change from './read/change.ts';
import * as read from './read/read.ts';
import * as thing from './read/thing.ts';
import * as content from './repository/content.ts';
import * as member from './repository/member.ts';
import * as org from './repository/organization.ts';
import * as repo from './repository/repository.ts';
import * as shape from './shape/shape.ts';
import * as stream from './stream/submission.ts';

type Operations = {
  readonly [Name in ProcedureName]: (
    ...given: Parameters<Operation<Name>>
  ) => ProcedureOutput<Name> | ReturnType<Operation<Name>>;
};

const ALL: Operations = {
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
  'repo.stats': content.repoStats,
  'repo.describe': content.describeRepo,
  'repo.getContent': content.getContent,
  'repo.setContent': content.setContent,
  'repo.checkpoints': exportJob.listCheckpoints,
  'repo.createCheckpoint': exportJob.createCheckpoint,
  'repo.deleteCheckpoint': exportJob.deleteCheckpoint,
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
  'thing.names': thing.getNames,
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
  'subscription.preview': subscription.previewSubscription,
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
  'action.giveUp': action.giveUpRun,
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
  'component.pause': install.pauseInstall,
  'component.resume': install.resumeInstall,
  'component.teardown': install.tearDownInstall,
  'component.exec': execCommand,
  'audit.list': listAudit,
  'token.list': token.listTokens,
  'token.get': token.getToken,
  'token.create': token.createToken,
  'token.rotate': token.rotateToken,
  'token.revoke': token.revokeToken,
  'diagnostics.capabilities': capabilities,
};

/** Queries end with their client or at their deadline; a mutation that has begun is finished. */
export const OPERATIONS = Object.fromEntries(
  Object.entries(ALL).map(([name, run]) => {
    const operation = run as (context: Context, input: unknown) => unknown;
    if (!QUERIES.has(name)) return [name, operation];
    return [name, (context, input) => withinBounds(context.client, () => operation(context, input))];
  }),
) as Readonly<Record<ProcedureName, (context: Context, input: unknown) => unknown>>;

export async function callProcedure<Name extends ProcedureName>(
  context: Context,
  name: Name,
  input: ProcedureInput<Name>,
): Promise<ProcedureOutput<Name>> {
  const given = PROCEDURES[name].input.parse(input, INPUT_WORDS);
  return (await OPERATIONS[name](context, given)) as ProcedureOutput<Name>;
}
