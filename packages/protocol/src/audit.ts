// The audit log on the wire: who did what that decides over access, when and from where.
import { z } from 'zod';
import { orgAddress } from './organization.ts';
import { pageInput, pageOf } from './page.ts';

/** What is kept, and what it means. Named as the procedure or command that does it. */
export const AUDIT_ACTIONS = {
  'auth.setUp': 'The first owner was made with the set-up code.',
  'auth.signIn':
    'Somebody gave a password, or came from the provider that `issuer` names; `outcome` says what came of it.',
  'auth.authorizeClient': 'Somebody let a client act in their name.',
  'auth.changePassword': 'A password was changed by its owner; all sessions ended.',
  'auth.resetPassword': 'A password was set anew with the code of a reset link; all sessions ended.',
  'auth.endSession': 'A session was ended by its owner.',
  'auth.endAllSessions': 'All sessions of an account were ended by its owner.',
  'auth.forgotPassword': 'Somebody asked for a reset link; it was mailed to the address of the account.',
  'auth.signUp': 'Somebody made an account, where sign-up is open.',
  'auth.linkIdentity': 'An account was connected with an identity at another provider.',
  'auth.unlinkIdentity': 'An identity at another provider was disconnected from its account.',
  'auth.acceptInvitation': 'An invitation was accepted.',
  'admin.createUser': 'An operator made an account.',
  'admin.createToken': 'An operator made a token for an account.',
  'admin.resetPassword': 'An operator made a reset link, or set a password.',
  'admin.deactivateUser': 'An operator deactivated an account: everything of it stopped.',
  'admin.reactivateUser': 'An operator reactivated an account.',
  'token.create': 'A token was made.',
  'token.rotate': 'A token was given another value.',
  'token.revoke': 'A token was revoked, with all that descend from it.',
  'org.create': 'The organization was made.',
  'org.rename': 'The organization was renamed.',
  'org.archive': 'The organization was archived.',
  'org.unarchive': 'The organization was unarchived.',
  'org.addMember': 'Somebody was made a member, or invited.',
  'org.setMemberRole': "A member's role, or that of an invitation, was changed.",
  'org.removeMember': 'A membership was ended, or an invitation cancelled.',
  'repo.create': 'A repository was made.',
  'repo.rename': 'A repository was renamed.',
  'repo.setVisibility': 'A repository was opened to everyone, or closed.',
  'repo.setRole': 'A role for one repository was given, invited to, or taken away.',
  'repo.configure': 'Features of a repository were turned on or off.',
  'repo.archive': 'A repository was archived.',
  'repo.unarchive': 'A repository was unarchived.',
  'repo.delete': 'A repository was deleted.',
  'repo.restore': 'A deleted repository was brought back.',
  'repo.createCheckpoint': 'An export of a repository was made, to be kept under a name.',
  'repo.deleteCheckpoint': 'An export that was kept under a name was given up.',
  'subscription.create': 'A subscription was made: commits are told to its webhook.',
  'subscription.update': 'A subscription was changed.',
  'subscription.pause': 'A subscription was paused.',
  'subscription.resume': 'A subscription was resumed.',
  'subscription.delete': 'A subscription was ended.',
  'subscription.bindCredentials': 'A subscription was given a credential set.',
  'subscription.unbindCredentials': 'A subscription was left without a credential set.',
  'subscription.reveal': 'Somebody was shown the URLs of a subscription in full.',
  'credential.create': 'A credential set was made.',
  'credential.setKeys': 'Keys of a credential set were set.',
  'credential.unsetKey': 'A key was taken out of a credential set.',
  'credential.revoke': 'A credential set was revoked.',
  'credential.delete': 'A credential set was removed.',
  'component.register': 'A component was put into the registry.',
  'component.publish': 'A version of a component was published.',
  'component.unregister': 'A component was taken out of the registry.',
  'component.install':
    'A component was installed in a repository, or its install run again; `granted` says what it may.',
  'component.update': 'An installed component was brought to another version; `granted` says what it may.',
  'component.setup': 'A setup endpoint was called; `tokens` says which tokens it was given.',
  'component.pause': 'An installed component was paused.',
  'component.resume': 'An installed component was resumed.',
  'component.teardown': 'An installed component was torn down: its tokens ended.',
  'component.exec': 'A method of an installed component was called.',
  'admin.purge': 'An operator removed data of a record for good.',
  'admin.rotateSecret': 'An operator gave the server another secret.',
  'admin.rotateSigningKey': 'Sessions are signed with another key; `reason` says whether an operator wanted it.',
  'repo.transfer': 'A repository was moved to another organization; both have the entry.',
} as const;

export type AuditAction = keyof typeof AUDIT_ACTIONS;

const action = z.enum(Object.keys(AUDIT_ACTIONS) as [AuditAction, ...AuditAction[]]);

export const auditItem = z.object({
  at: z.int(),
  action,
  actor: z
    .string()
    .describe('`user:HANDLE`, `token:HANDLE/NAME`, `component:ORG/NAME`, `operator`, `server`, or `anonymous`.'),
  target: z.string().describe('What it was done to, by the name of that moment.'),
  details: z.record(z.string(), z.unknown()),
  address: z.string().optional().describe('Where the request came from.'),
  requestId: z.string().optional(),
});

/** An entry of the audit log: who did what, and when. */
export type AuditItem = z.infer<typeof auditItem>;

export const auditList = z.strictObject({ ...orgAddress, action: action.optional(), ...pageInput });
export const auditPage = pageOf(auditItem);
