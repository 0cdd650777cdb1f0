import * as actions from '../action.ts';
import * as components from '../component.ts';
import { type ProcedureRow, signature } from '../row.ts';
import { ACCESS } from '../scopes.ts';
import * as subscriptions from '../subscription.ts';

const CONFIGURES = 'Needs `repo:configure`, or `org:configure` where it is the organization’s.';
const SUBSCRIBES =
  'Needs `repo:configure` and a `repo:read` that is not narrowed; for an organization `org:configure`.';

export const ACTION_PROCEDURES = {
  'subscription.list': {
    summary: `The subscriptions of a repository, or of an organization, by name. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.subscriptionList, subscriptions.subscriptionPage),
  },
  'subscription.get': {
    summary: `One subscription, without what is secret in its URLs. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.subscriptionAddress, subscriptions.subscription),
  },
  'subscription.preview': {
    summary: `The last 100 operations of a repository, newest first, and whether a filter matches each. ${SUBSCRIBES}`,
    ...signature(ACCESS.subscribe, subscriptions.subscriptionPreviewing, subscriptions.subscriptionPreview),
  },
  'subscription.create': {
    summary: `Tells a webhook of every commit that a filter matches, or of an event. ${SUBSCRIBES}`,
    ...signature(ACCESS.provisionSubscription, subscriptions.subscriptionCreation, subscriptions.subscription),
  },
  'subscription.update': {
    summary: `Changes what a subscription is for, or where it goes. ${SUBSCRIBES}`,
    ...signature(ACCESS.subscribe, subscriptions.subscriptionUpdate, subscriptions.subscription),
  },
  'subscription.pause': {
    summary: `No commit is told any more, and what waits to be delivered is held. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.subscriptionAddress, subscriptions.subscription),
  },
  'subscription.resume': {
    summary: `Commits from now on are told again, and what was held is delivered. ${SUBSCRIBES}`,
    ...signature(ACCESS.subscribe, subscriptions.subscriptionAddress, subscriptions.subscription),
  },
  'subscription.delete': {
    summary: `Ends a subscription. Its runs stay listed; those that are not over end as failed. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.subscriptionAddress, subscriptions.subscription),
  },
  'subscription.bindCredentials': {
    summary: `Signs the deliveries of a subscription with a credential set. ${SUBSCRIBES}`,
    ...signature(ACCESS.subscribe, subscriptions.subscriptionBinding, subscriptions.subscription),
  },
  'subscription.unbindCredentials': {
    summary: `Sends deliveries without credentials again. ${SUBSCRIBES}`,
    ...signature(ACCESS.subscribe, subscriptions.subscriptionAddress, subscriptions.subscription),
  },
  'subscription.reveal': {
    summary: `The URLs in full, which may hold secrets; the audit log says who saw them. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.subscriptionAddress, subscriptions.revealedSubscription),
  },
  'subscription.test': {
    summary: `Sends a signed test delivery now, and shows how it was answered. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.subscriptionAddress, subscriptions.subscriptionTest),
  },
  'action.runs': {
    summary: `Runs of subscriptions, newest first. ${CONFIGURES}`,
    ...signature(ACCESS.configure, actions.runList, actions.runPage),
  },
  'action.attempts': {
    summary: `The attempts of a run, in order. ${CONFIGURES}`,
    ...signature(ACCESS.configure, actions.runAddress, actions.attemptList),
  },
  'action.notifications': {
    summary: `Runs that failed for good, and subscriptions that the server paused, newest first. ${CONFIGURES}`,
    ...signature(ACCESS.configure, actions.notificationList, actions.notificationPage),
  },
  'action.retry': {
    summary: `Delivers a run at once: one that has failed, with as many attempts as at first, or one that waits for its next. ${CONFIGURES}`,
    ...signature(ACCESS.configure, actions.runAddress, actions.actionRun),
  },
  'action.giveUp': {
    summary: `Tries a run that waits no more: it is a dead letter. It can be retried. ${CONFIGURES}`,
    ...signature(ACCESS.configure, actions.runAddress, actions.actionRun),
  },
  'action.callback': {
    summary:
      'Reports how far a run is, or its end. Needs `repo:action-callback`, for a run of an organization `org:action-callback`.',
    ...signature(ACCESS.callback, actions.callbackInput, actions.callbackAnswer),
  },
  'credential.list': {
    summary: `The credential sets of a repository, or of an organization, without their values. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.credentialList, subscriptions.credentialPage),
  },
  'credential.get': {
    summary: `One credential set: which keys it holds, not what they are. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.credentialAddress, subscriptions.credentialSet),
  },
  'credential.create': {
    summary: `Makes an empty credential set. ${CONFIGURES}`,
    ...signature(ACCESS.provisionCredential, subscriptions.credentialCreation, subscriptions.credentialSet),
  },
  'credential.setKeys': {
    summary: `Sets keys of a credential set, besides those that it has. ${CONFIGURES}`,
    ...signature(ACCESS.provisionCredential, subscriptions.credentialKeys, subscriptions.credentialSet),
  },
  'credential.unsetKey': {
    summary: `Takes a key out of a credential set. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.credentialKeyRemoval, subscriptions.credentialSet),
  },
  'credential.revoke': {
    summary: `Nothing is sent with the set any more, at once and for good; its values are erased. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.credentialAddress, subscriptions.credentialSet),
  },
  'credential.delete': {
    summary: `Removes a credential set that no subscription uses. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.credentialAddress, subscriptions.credentialSet),
  },
  'credential.audit': {
    summary: `What happened to a credential set, every use included, newest first. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.credentialAuditList, subscriptions.credentialAuditPage),
  },
} as const satisfies Record<string, ProcedureRow>;

const REGISTERS = 'Needs `org:configure`.';
const INSTALLS =
  'Needs `repo:write`; also `repo:configure` where the manifest has subscriptions or credentials, and a `repo:read` that is not narrowed where it has subscriptions or reads.';
const MANAGES = 'Needs `repo:write`; also `repo:configure` where it has subscriptions or credentials.';

export const COMPONENT_PROCEDURES = {
  'component.register': {
    summary: `Puts a component into the registry, with its first version. ${REGISTERS}`,
    ...signature(ACCESS.organize, components.componentRegistration, components.component),
  },
  'component.publish': {
    summary: `Publishes a version, which never changes afterwards; the latest is what installs take. ${REGISTERS}`,
    ...signature(ACCESS.organize, components.componentPublication, components.component),
  },
  'component.registry': {
    summary: "Components that can be installed: the public ones, and those of the caller's organizations.",
    ...signature(ACCESS.lists, components.registryList, components.registryPage),
  },
  'component.view': {
    summary: 'One component of the registry, with its manifest and its versions.',
    ...signature(ACCESS.lists, components.componentView, components.component),
  },
  'component.unregister': {
    summary: `Takes a component out of the registry. Where it is installed it stays, and can be torn down. ${REGISTERS}`,
    ...signature(ACCESS.organize, components.componentAddress, components.registryItem),
  },
  'component.install': {
    summary: `Installs the latest version into a repository; again, it brings back what is missing. ${INSTALLS}`,
    ...signature(ACCESS.write, components.installation, components.componentReport),
  },
  'component.list': {
    summary: 'What is installed in a repository. Needs a `repo:read` that is not narrowed.',
    ...signature(ACCESS.installs, components.installList, components.installPage),
  },
  'component.get': {
    summary: 'One installed component. Needs a `repo:read` that is not narrowed.',
    ...signature(ACCESS.installs, components.installAddress, components.componentInstall),
  },
  'component.doctor': {
    summary:
      'What is missing or wrong with an installed component, and what to do. Needs a `repo:read` that is not narrowed.',
    ...signature(ACCESS.installs, components.installAddress, components.componentReport),
  },
  'component.update': {
    summary: `Brings an installed component to the latest version. Nothing is deleted. ${INSTALLS}`,
    ...signature(ACCESS.write, components.installation, components.componentReport),
  },
  'component.pause': {
    summary: `Refuses its tokens, rests its subscriptions, calls none of its methods, until it is resumed. ${MANAGES}`,
    ...signature(ACCESS.write, components.installAddress, components.componentInstall),
  },
  'component.resume': {
    summary: `Ends a pause. ${INSTALLS}`,
    ...signature(ACCESS.write, components.installAddress, components.componentInstall),
  },
  'component.teardown': {
    summary: `Ends an install: its tokens and subscriptions stop, its data stays. ${MANAGES}`,
    ...signature(ACCESS.write, components.installAddress, components.componentTeardown),
  },
  'component.exec': {
    summary:
      "Calls a method of an installed component. Needs `repo:read`, and the method's own permission; for a private component, membership of its organization.",
    ...signature(ACCESS.installs, components.componentExec, components.execAnswer),
  },
} as const satisfies Record<string, ProcedureRow>;
