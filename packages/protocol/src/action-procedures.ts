// Procedures on subscriptions, credential sets and runs.
import { ACCESS } from './access.ts';
import {
  actionRun,
  attemptList,
  callbackAnswer,
  callbackInput,
  notificationList,
  notificationPage,
  runAddress,
  runList,
  runPage,
} from './action.ts';
import {
  credentialAddress,
  credentialAuditList,
  credentialAuditPage,
  credentialCreation,
  credentialKeyRemoval,
  credentialKeys,
  credentialList,
  credentialPage,
  credentialSet,
} from './credential.ts';
import type { ProcedureRow } from './procedure-row.ts';
import {
  revealedSubscription,
  subscription,
  subscriptionAddress,
  subscriptionBinding,
  subscriptionCreation,
  subscriptionList,
  subscriptionPage,
  subscriptionPreview,
  subscriptionPreviewing,
  subscriptionTest,
  subscriptionUpdate,
} from './subscription.ts';

const CONFIGURES = 'Needs `repo:configure`, or `org:configure` where it is the organization’s.';
const SUBSCRIBES =
  'Needs `repo:configure` and a `repo:read` that is not narrowed; for an organization `org:configure`.';

export const ACTION_PROCEDURES = {
  'subscription.list': {
    summary: `The subscriptions of a repository, or of an organization, by name. ${CONFIGURES}`,
    access: ACCESS.configure,
    input: subscriptionList,
    output: subscriptionPage,
  },
  'subscription.get': {
    summary: `One subscription, without what is secret in its URLs. ${CONFIGURES}`,
    access: ACCESS.configure,
    input: subscriptionAddress,
    output: subscription,
  },
  'subscription.preview': {
    summary: `The last 100 operations of a repository, newest first, and whether a filter matches each. ${SUBSCRIBES}`,
    access: ACCESS.subscribe,
    input: subscriptionPreviewing,
    output: subscriptionPreview,
  },
  'subscription.create': {
    summary: `Tells a webhook of every commit that a filter matches, or of an event. ${SUBSCRIBES}`,
    access: ACCESS.provisionSubscription,
    input: subscriptionCreation,
    output: subscription,
  },
  'subscription.update': {
    summary: `Changes what a subscription is for, or where it goes. ${SUBSCRIBES}`,
    access: ACCESS.subscribe,
    input: subscriptionUpdate,
    output: subscription,
  },
  'subscription.pause': {
    summary: `No commit is told any more, and what waits to be delivered is held. ${CONFIGURES}`,
    access: ACCESS.configure,
    input: subscriptionAddress,
    output: subscription,
  },
  'subscription.resume': {
    summary: `Commits from now on are told again, and what was held is delivered. ${SUBSCRIBES}`,
    access: ACCESS.subscribe,
    input: subscriptionAddress,
    output: subscription,
  },
  'subscription.delete': {
    summary: `Ends a subscription. Its runs stay listed; those that are not over end as failed. ${CONFIGURES}`,
    access: ACCESS.configure,
    input: subscriptionAddress,
    output: subscription,
  },
  'subscription.bindCredentials': {
    summary: `Signs the deliveries of a subscription with a credential set. ${SUBSCRIBES}`,
    access: ACCESS.subscribe,
    input: subscriptionBinding,
    output: subscription,
  },
  'subscription.unbindCredentials': {
    summary: `Sends deliveries without credentials again. ${SUBSCRIBES}`,
    access: ACCESS.subscribe,
    input: subscriptionAddress,
    output: subscription,
  },
  'subscription.reveal': {
    summary: `The URLs in full, which may hold secrets; the audit log says who saw them. ${CONFIGURES}`,
    access: ACCESS.configure,
    input: subscriptionAddress,
    output: revealedSubscription,
  },
  'subscription.test': {
    summary: `Sends a signed test delivery now, and shows how it was answered. ${CONFIGURES}`,
    access: ACCESS.configure,
    input: subscriptionAddress,
    output: subscriptionTest,
  },
  'action.runs': {
    summary: `Runs of subscriptions, newest first. ${CONFIGURES}`,
    access: ACCESS.configure,
    input: runList,
    output: runPage,
  },
  'action.attempts': {
    summary: `The attempts of a run, in order. ${CONFIGURES}`,
    access: ACCESS.configure,
    input: runAddress,
    output: attemptList,
  },
  'action.notifications': {
    summary: `Runs that failed for good, and subscriptions that the server paused, newest first. ${CONFIGURES}`,
    access: ACCESS.configure,
    input: notificationList,
    output: notificationPage,
  },
  'action.retry': {
    summary: `Delivers a run at once: one that has failed, with as many attempts as at first, or one that waits for its next. ${CONFIGURES}`,
    access: ACCESS.configure,
    input: runAddress,
    output: actionRun,
  },
  'action.giveUp': {
    summary: `Tries a run that waits no more: it is a dead letter. It can be retried. ${CONFIGURES}`,
    access: ACCESS.configure,
    input: runAddress,
    output: actionRun,
  },
  'action.callback': {
    summary:
      'Reports how far a run is, or its end. Needs `repo:action-callback`, for a run of an organization `org:action-callback`.',
    access: ACCESS.callback,
    input: callbackInput,
    output: callbackAnswer,
  },
  'credential.list': {
    summary: `The credential sets of a repository, or of an organization, without their values. ${CONFIGURES}`,
    access: ACCESS.configure,
    input: credentialList,
    output: credentialPage,
  },
  'credential.get': {
    summary: `One credential set: which keys it holds, not what they are. ${CONFIGURES}`,
    access: ACCESS.configure,
    input: credentialAddress,
    output: credentialSet,
  },
  'credential.create': {
    summary: `Makes an empty credential set. ${CONFIGURES}`,
    access: ACCESS.provisionCredential,
    input: credentialCreation,
    output: credentialSet,
  },
  'credential.setKeys': {
    summary: `Sets keys of a credential set, besides those that it has. ${CONFIGURES}`,
    access: ACCESS.provisionCredential,
    input: credentialKeys,
    output: credentialSet,
  },
  'credential.unsetKey': {
    summary: `Takes a key out of a credential set. ${CONFIGURES}`,
    access: ACCESS.configure,
    input: credentialKeyRemoval,
    output: credentialSet,
  },
  'credential.revoke': {
    summary: `Nothing is sent with the set any more, at once and for good; its values are erased. ${CONFIGURES}`,
    access: ACCESS.configure,
    input: credentialAddress,
    output: credentialSet,
  },
  'credential.delete': {
    summary: `Removes a credential set that no subscription uses. ${CONFIGURES}`,
    access: ACCESS.configure,
    input: credentialAddress,
    output: credentialSet,
  },
  'credential.audit': {
    summary: `What happened to a credential set, every use included, newest first. ${CONFIGURES}`,
    access: ACCESS.configure,
    input: credentialAuditList,
    output: credentialAuditPage,
  },
} as const satisfies Record<string, ProcedureRow>;
