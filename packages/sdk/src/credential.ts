import type { CredentialEvent, CredentialSet } from '@cairn/protocol/credential';
import type { Page } from '@cairn/protocol/page';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import { type HomeName, homeOf } from './home.ts';
import type { Call } from './transport.ts';

type Address = 'orgName' | 'repoName' | 'name';

export type ListCredentialSets = Omit<ProcedureInput<'credential.list'>, Address>;
export type CreateCredentialSet = Omit<ProcedureInput<'credential.create'>, Address>;
export type ListCredentialEvents = Omit<ProcedureInput<'credential.audit'>, Address>;

/**
 * Credential sets: what deliveries are signed and let in with. Values go in, and never out. With `null` in place of the
 * repository, the sets of the organization itself.
 *
 * @example
 * await client.credential.create('acme', 'world', 'hooks');
 * await client.credential.setKeys('acme', 'world', 'hooks', { WEBHOOK_SIGNING_SECRET: secret });
 * await client.subscription.bindCredentials('acme', 'world', 'signals', 'hooks');
 */
export interface CredentialSurface {
  /** A page of sets, by name. */
  list(orgName: string, repoName: HomeName, options?: ListCredentialSets): Promise<Page<CredentialSet>>;
  /** Which keys it holds, not what they are. */
  get(orgName: string, repoName: HomeName, name: string): Promise<CredentialSet>;
  /** An empty one. */
  create(orgName: string, repoName: HomeName, name: string, options?: CreateCredentialSet): Promise<CredentialSet>;
  /** Besides the keys that it has; a key that it has gets the new value. */
  setKeys(orgName: string, repoName: HomeName, name: string, keys: Record<string, string>): Promise<CredentialSet>;
  unsetKey(orgName: string, repoName: HomeName, name: string, key: string): Promise<CredentialSet>;
  /** Nothing is sent with it any more, at once and for good. */
  revoke(orgName: string, repoName: HomeName, name: string): Promise<CredentialSet>;
  /** Only where no subscription uses it. */
  delete(orgName: string, repoName: HomeName, name: string): Promise<CredentialSet>;
  /** A page of what happened to a set, every use included, newest first. */
  audit(
    orgName: string,
    repoName: HomeName,
    name: string,
    options?: ListCredentialEvents,
  ): Promise<Page<CredentialEvent>>;
}

export function credentialSurface(call: Call): CredentialSurface {
  const at = (orgName: string, repoName: HomeName, name: string) => ({ ...homeOf(orgName, repoName), name });
  return {
    list: (orgName, repoName, options = {}) => call('credential.list', { ...homeOf(orgName, repoName), ...options }),
    get: (...address) => call('credential.get', at(...address)),
    create: (orgName, repoName, name, options = {}) =>
      call('credential.create', { ...at(orgName, repoName, name), ...options }),
    setKeys: (orgName, repoName, name, keys) => call('credential.setKeys', { ...at(orgName, repoName, name), keys }),
    unsetKey: (orgName, repoName, name, key) => call('credential.unsetKey', { ...at(orgName, repoName, name), key }),
    revoke: (...address) => call('credential.revoke', at(...address)),
    delete: (...address) => call('credential.delete', at(...address)),
    audit: (orgName, repoName, name, options = {}) =>
      call('credential.audit', { ...at(orgName, repoName, name), ...options }),
  };
}
