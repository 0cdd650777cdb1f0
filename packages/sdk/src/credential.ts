import type { ProcedureInput } from '@cairn/protocol/procedures';
import type { CredentialEvent, CredentialSet } from '@cairn/protocol/subscription';
import { atHome, type HomeName, homeOf } from './home.ts';
import { type List, listOf } from './list.ts';
import type { Call, CallOptions } from './transport.ts';

type Address = 'orgName' | 'repoName' | 'name';

/** What a list of credential sets can be told. */
export type ListCredentialSets = Omit<ProcedureInput<'credential.list'>, Address> & CallOptions;
/** What a credential set is created with. */
export type CreateCredentialSet = Omit<ProcedureInput<'credential.create'>, Address> & CallOptions;
/** What a list of what happened to a set can be told. */
export type ListCredentialEvents = Omit<ProcedureInput<'credential.audit'>, Address> & CallOptions;

/**
 * Credential sets: secrets that deliveries are sent with, such as signing keys, tokens and passwords. Values go in, and never
 * out. With `null` in place of the repository, the sets of the organization itself.
 *
 * @example
 * await client.credential.create('acme', 'world', 'hooks');
 * await client.credential.setKeys('acme', 'world', 'hooks', { WEBHOOK_SIGNING_SECRET: secret, OTHER: 'a value' });
 * await client.credential.unsetKey('acme', 'world', 'hooks', 'OTHER');
 * await client.subscription.bindCredentials('acme', 'world', 'signals', 'hooks');
 * const { keys } = await client.credential.get('acme', 'world', 'hooks');
 * for await (const { action } of client.credential.audit('acme', 'world', 'hooks')) console.log(action);
 * await client.credential.revoke('acme', 'world', 'hooks');
 * await client.subscription.unbindCredentials('acme', 'world', 'signals');
 * await client.credential.delete('acme', 'world', 'hooks');
 * for await (const { name } of client.credential.list('acme', 'world')) console.log(name);
 */
export interface CredentialSurface {
  /** The sets, by name. */
  list(orgName: string, repoName: HomeName, options?: ListCredentialSets): List<CredentialSet>;
  /** Which keys it holds, not what they are. */
  get(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<CredentialSet>;
  /** An empty one. */
  create(orgName: string, repoName: HomeName, name: string, options?: CreateCredentialSet): Promise<CredentialSet>;
  /** Besides the keys that it has; a key that it has gets the new value. */
  setKeys(
    orgName: string,
    repoName: HomeName,
    name: string,
    keys: Record<string, string>,
    options?: CallOptions,
  ): Promise<CredentialSet>;
  /** Takes one key out. */
  unsetKey(
    orgName: string,
    repoName: HomeName,
    name: string,
    key: string,
    options?: CallOptions,
  ): Promise<CredentialSet>;
  /** Nothing is sent with it any more, at once and for good. */
  revoke(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<CredentialSet>;
  /** Only where no subscription uses it. */
  delete(orgName: string, repoName: HomeName, name: string, options?: CallOptions): Promise<CredentialSet>;
  /** What happened to a set, every use included, newest first. */
  audit(orgName: string, repoName: HomeName, name: string, options?: ListCredentialEvents): List<CredentialEvent>;
}

export function credentialSurface(call: Call): CredentialSurface {
  return {
    list: (orgName, repoName, options = {}) =>
      listOf(call, 'credential.list', { ...homeOf(orgName, repoName), ...options }),
    get: (...address) => call('credential.get', atHome(...address)),
    create: (orgName, repoName, name, options = {}) =>
      call('credential.create', { ...atHome(orgName, repoName, name), ...options }),
    setKeys: (orgName, repoName, name, keys, options) =>
      call('credential.setKeys', { ...atHome(orgName, repoName, name), keys, ...options }),
    unsetKey: (orgName, repoName, name, key, options) =>
      call('credential.unsetKey', { ...atHome(orgName, repoName, name), key, ...options }),
    revoke: (...address) => call('credential.revoke', atHome(...address)),
    delete: (...address) => call('credential.delete', atHome(...address)),
    audit: (orgName, repoName, name, options = {}) =>
      listOf(call, 'credential.audit', { ...atHome(orgName, repoName, name), ...options }),
  };
}
