import type { Member, MemberResult } from '@cairn/protocol/member';
import type { Organization } from '@cairn/protocol/organization';
import type { Page } from '@cairn/protocol/page';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import type { OrganizationRole } from '@cairn/protocol/roles';
import { type PersonName, personOf } from './person.ts';
import type { Call } from './transport.ts';

export type ListOrganizations = NonNullable<ProcedureInput<'org.list'>>;
export type CreateOrganization = Omit<ProcedureInput<'org.create'>, 'name'>;
export type UpdateOrganization = Omit<ProcedureInput<'org.update'>, 'orgName'>;
export type ListMembers = Omit<ProcedureInput<'org.listMembers'>, 'orgName'>;
export type RenameOrganization = Omit<ProcedureInput<'org.rename'>, 'orgName'>;

/**
 * Organizations.
 *
 * @example
 * await client.org.create('acme', { displayName: 'Acme, Inc.' });
 * const { items } = await client.org.list();
 * const { link } = await client.org.addMember('acme', { email: 'bob@example.com' }, 'editor');
 */
export interface OrgSurface {
  /** One organization, as far as the caller may see it. */
  get(orgName: string): Promise<Organization>;
  /** A page of the organizations that the caller may see, by name. */
  list(options?: ListOrganizations): Promise<Page<Organization>>;
  create(orgName: string, options?: CreateOrganization): Promise<Organization>;
  /** Changes what is said about it; what is left out stays. */
  update(orgName: string, options: UpdateOrganization): Promise<Organization>;
  /** Nobody else can have the old name for 90 days. */
  rename(orgName: string, options: RenameOrganization): Promise<Organization>;
  /** From then on neither it nor its repositories take writes. */
  archive(orgName: string): Promise<Organization>;
  unarchive(orgName: string): Promise<Organization>;
  /** A page of its members, by handle; after them, for who may invite, the pending invitations, by email. */
  listMembers(orgName: string, options?: ListMembers): Promise<Page<Member>>;
  /** An email that no account is known by is invited: the answer has the link to send there. */
  addMember(orgName: string, person: PersonName, role: OrganizationRole): Promise<MemberResult>;
  /** Ends the membership at once, and every role in the organization's repositories; or cancels an invitation. */
  removeMember(orgName: string, person: PersonName): Promise<Member>;
  /** Of an invitation, with a new link. */
  setMemberRole(orgName: string, person: PersonName, role: OrganizationRole): Promise<MemberResult>;
}

export function orgSurface(call: Call): OrgSurface {
  return {
    get: (orgName) => call('org.get', { orgName }),
    list: (options = {}) => call('org.list', options),
    create: (name, options = {}) => call('org.create', { name, ...options }),
    update: (orgName, options) => call('org.update', { orgName, ...options }),
    rename: (orgName, options) => call('org.rename', { orgName, ...options }),
    archive: (orgName) => call('org.archive', { orgName }),
    unarchive: (orgName) => call('org.unarchive', { orgName }),
    listMembers: (orgName, options = {}) => call('org.listMembers', { orgName, ...options }),
    addMember: (orgName, person, role) => call('org.addMember', { orgName, ...personOf(person), role }),
    removeMember: (orgName, person) => call('org.removeMember', { orgName, ...personOf(person) }),
    setMemberRole: (orgName, person, role) => call('org.setMemberRole', { orgName, ...personOf(person), role }),
  };
}
