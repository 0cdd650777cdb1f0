import * as actions from '../action.ts';
import * as components from '../component.ts';
import { type ProcedureRow, signature } from '../row.ts';
import { ACCESS } from '../scopes.ts';
import * as subscriptions from '../subscription.ts';

const CONFIGURES = 'Needs `repo:configure`; for an organization, `org:configure`.';
const SUBSCRIBES = 'Needs `repo:configure` and an unrestricted `repo:read`; for an organization, `org:configure`.';

export const ACTION_PROCEDURES = {
  'subscription.list': {
    summary: `Lists the subscriptions of a repository or an organization, by name. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.subscriptionList, subscriptions.subscriptionPage),
  },
  'subscription.get': {
    summary: `Gets a subscription, without the secret parts of its URLs. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.subscriptionAddress, subscriptions.subscription),
  },
  'subscription.preview': {
    summary: `Lists the last 100 operations of a repository, newest first, and marks those that a filter matches. ${SUBSCRIBES}`,
    ...signature(ACCESS.subscribe, subscriptions.subscriptionPreviewing, subscriptions.subscriptionPreview),
  },
  'subscription.create': {
    summary: `Creates a subscription, which calls a webhook for every commit that a filter matches, or for an event. ${SUBSCRIBES}`,
    ...signature(ACCESS.provisionSubscription, subscriptions.subscriptionCreation, subscriptions.subscription),
  },
  'subscription.update': {
    summary: `Changes the name, filter, event or URLs of a subscription. ${SUBSCRIBES}`,
    ...signature(ACCESS.subscribe, subscriptions.subscriptionUpdate, subscriptions.subscription),
  },
  'subscription.pause': {
    summary: `Pauses a subscription: it ignores new commits, and holds waiting deliveries. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.subscriptionAddress, subscriptions.subscription),
  },
  'subscription.resume': {
    summary: `Resumes a subscription: it matches new commits again, and sends the held deliveries. ${SUBSCRIBES}`,
    ...signature(ACCESS.subscribe, subscriptions.subscriptionAddress, subscriptions.subscription),
  },
  'subscription.delete': {
    summary: `Deletes a subscription. Its runs stay listed; unfinished runs end as failed. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.subscriptionAddress, subscriptions.subscription),
  },
  'subscription.bindCredentials': {
    summary: `Signs the deliveries of a subscription with a credential set. ${SUBSCRIBES}`,
    ...signature(ACCESS.subscribe, subscriptions.subscriptionBinding, subscriptions.subscription),
  },
  'subscription.unbindCredentials': {
    summary: `Removes the credential set from a subscription, so that it sends deliveries without credentials. ${SUBSCRIBES}`,
    ...signature(ACCESS.subscribe, subscriptions.subscriptionAddress, subscriptions.subscription),
  },
  'subscription.reveal': {
    summary: `Shows the full URLs of a subscription, which may contain secrets, and records this in the audit log. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.subscriptionAddress, subscriptions.revealedSubscription),
  },
  'subscription.test': {
    summary: `Sends a signed test delivery now, and shows the response. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.subscriptionAddress, subscriptions.subscriptionTest),
  },
  'action.runs': {
    summary: `Lists the runs of subscriptions, newest first. ${CONFIGURES}`,
    ...signature(ACCESS.configure, actions.runList, actions.runPage),
  },
  'action.attempts': {
    summary: `Lists the attempts of a run, in order. ${CONFIGURES}`,
    ...signature(ACCESS.configure, actions.runAddress, actions.attemptList),
  },
  'action.notifications': {
    summary: `Lists the runs that failed for good and the subscriptions that the server paused, newest first. ${CONFIGURES}`,
    ...signature(ACCESS.configure, actions.notificationList, actions.notificationPage),
  },
  'action.retry': {
    summary: `Delivers a run at once: a failed run, which gets its full number of attempts again, or a run that waits for its next attempt. ${CONFIGURES}`,
    ...signature(ACCESS.configure, actions.runAddress, actions.actionRun),
  },
  'action.giveUp': {
    summary: `Stops retrying a waiting run, which becomes a dead letter. You can still retry it later. ${CONFIGURES}`,
    ...signature(ACCESS.configure, actions.runAddress, actions.actionRun),
  },
  'action.callback': {
    summary:
      'Reports the progress or the end of a run. Needs `repo:action-callback`; for a run of an organization, `org:action-callback`.',
    ...signature(ACCESS.callback, actions.callbackInput, actions.callbackAnswer),
  },
  'credential.list': {
    summary: `Lists the credential sets of a repository or an organization, without their values. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.credentialList, subscriptions.credentialPage),
  },
  'credential.get': {
    summary: `Gets a credential set: the names of its keys, but not their values. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.credentialAddress, subscriptions.credentialSet),
  },
  'credential.create': {
    summary: `Creates an empty credential set. ${CONFIGURES}`,
    ...signature(ACCESS.provisionCredential, subscriptions.credentialCreation, subscriptions.credentialSet),
  },
  'credential.setKeys': {
    summary: `Sets keys of a credential set. Its other keys stay. ${CONFIGURES}`,
    ...signature(ACCESS.provisionCredential, subscriptions.credentialKeys, subscriptions.credentialSet),
  },
  'credential.unsetKey': {
    summary: `Removes a key from a credential set. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.credentialKeyRemoval, subscriptions.credentialSet),
  },
  'credential.revoke': {
    summary: `Revokes a credential set at once and for good: nothing is sent with it any more, and its values are erased. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.credentialAddress, subscriptions.credentialSet),
  },
  'credential.delete': {
    summary: `Deletes a credential set that no subscription uses. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.credentialAddress, subscriptions.credentialSet),
  },
  'credential.audit': {
    summary: `Lists the events of a credential set, including every use, newest first. ${CONFIGURES}`,
    ...signature(ACCESS.configure, subscriptions.credentialAuditList, subscriptions.credentialAuditPage),
  },
} as const satisfies Record<string, ProcedureRow>;

const REGISTERS = 'Needs `org:configure`.';
const INSTALLS =
  'Needs `repo:write`; also `repo:configure` if the manifest has subscriptions or credentials, and an unrestricted `repo:read` if it has subscriptions or reads.';
const MANAGES = 'Needs `repo:write`; also `repo:configure` if it has subscriptions or credentials.';

export const COMPONENT_PROCEDURES = {
  'component.register': {
    summary: `Registers a component with its first version. ${REGISTERS}`,
    ...signature(ACCESS.organize, components.componentRegistration, components.component),
  },
  'component.publish': {
    summary: `Publishes a version, which never changes afterwards. Installs take the latest version. ${REGISTERS}`,
    ...signature(ACCESS.organize, components.componentPublication, components.component),
  },
  'component.registry': {
    summary: 'Lists the components that the caller can install: public ones, and those of their organizations.',
    ...signature(ACCESS.lists, components.registryList, components.registryPage),
  },
  'component.view': {
    summary: 'Gets a component of the registry, with its manifest and its versions.',
    ...signature(ACCESS.lists, components.componentView, components.component),
  },
  'component.unregister': {
    summary: `Removes a component from the registry. Its installs stay, and can be torn down. ${REGISTERS}`,
    ...signature(ACCESS.organize, components.componentAddress, components.registryItem),
  },
  'component.install': {
    summary: `Installs the latest version in a repository. Called again, it restores missing parts. ${INSTALLS}`,
    ...signature(ACCESS.write, components.installation, components.componentReport),
  },
  'component.list': {
    summary: 'Lists the components that are installed in a repository. Needs an unrestricted `repo:read`.',
    ...signature(ACCESS.installs, components.installList, components.installPage),
  },
  'component.get': {
    summary: 'Gets an installed component. Needs an unrestricted `repo:read`.',
    ...signature(ACCESS.installs, components.installAddress, components.componentInstall),
  },
  'component.doctor': {
    summary:
      'Checks an installed component, and lists its problems with the action to take. Needs an unrestricted `repo:read`.',
    ...signature(ACCESS.installs, components.installAddress, components.componentReport),
  },
  'component.update': {
    summary: `Updates an installed component to the latest version. Nothing is deleted. ${INSTALLS}`,
    ...signature(ACCESS.write, components.installation, components.componentReport),
  },
  'component.pause': {
    summary: `Pauses an installed component: its tokens are refused, its subscriptions pause, and its methods are not called. ${MANAGES}`,
    ...signature(ACCESS.write, components.installAddress, components.componentInstall),
  },
  'component.resume': {
    summary: `Resumes a paused component. ${INSTALLS}`,
    ...signature(ACCESS.write, components.installAddress, components.componentInstall),
  },
  'component.teardown': {
    summary: `Tears an install down: its tokens and subscriptions stop, its data stays. ${MANAGES}`,
    ...signature(ACCESS.write, components.installAddress, components.componentTeardown),
  },
  'component.exec': {
    summary:
      'Calls a method of an installed component. Needs `repo:read` and the permission that the method declares; for a private component, also membership of its organization.',
    ...signature(ACCESS.installs, components.componentExec, components.execAnswer),
  },
} as const satisfies Record<string, ProcedureRow>;
