// Organizations, their members and their audit log.
import type { AuditItem, Member, MemberResult, Organization, Person } from '@cairn/protocol/organization';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import type { OrganizationRole } from '@cairn/protocol/scopes';
import type { List } from './list.ts';
import type { CallOptions } from './transport.ts';

/** A handle, or an email address, which holds an @. */
export type PersonName = Person | string;

/** What a list of organizations can be told. */
export type ListOrganizations = NonNullable<ProcedureInput<'org.list'>> & CallOptions;
/** What an organization is created with. */
export type CreateOrganization = Omit<ProcedureInput<'org.create'>, 'name'> & CallOptions;
/** What is said about an organization. */
export type UpdateOrganization = Omit<ProcedureInput<'org.update'>, 'orgName'> & CallOptions;
/** What a list of members can be told. */
export type ListMembers = Omit<ProcedureInput<'org.listMembers'>, 'orgName'> & CallOptions;
/** The new name of an organization. */
export type RenameOrganization = Omit<ProcedureInput<'org.rename'>, 'orgName'> & CallOptions;

/**
 * Organizations.
 *
 * @example
 * await client.org.create('acme', { displayName: 'Acme, Inc.' });
 * await client.org.update('acme', { description: 'Who maps caves' });
 * const { link } = await client.org.addMember('acme', { email: 'bob@example.com' }, 'editor');
 * await client.org.setMemberRole('acme', { email: 'bob@example.com' }, 'viewer');
 * for await (const { role } of client.org.listMembers('acme')) console.log(role);
 * await client.org.removeMember('acme', { email: 'bob@example.com' });
 * await client.org.archive('acme');
 * await client.org.unarchive('acme');
 * const { displayName } = await client.org.get('acme');
 * await client.org.rename('acme', { newName: 'acme-maps' });
 * for await (const { name } of client.org.list()) console.log(name);
 */
export interface OrgSurface {
  /** One organization, as far as the caller may see it. */
  get(orgName: string, options?: CallOptions): Promise<Organization>;
  /** The organizations that the caller may see, by name. */
  list(options?: ListOrganizations): List<Organization>;
  /** The caller becomes its owner. */
  create(orgName: string, options?: CreateOrganization): Promise<Organization>;
  /** Changes what is said about it; what is left out stays. */
  update(orgName: string, options: UpdateOrganization): Promise<Organization>;
  /** Nobody else can have the old name for 90 days. */
  rename(orgName: string, options: RenameOrganization): Promise<Organization>;
  /** From then on neither it nor its repositories take writes. */
  archive(orgName: string, options?: CallOptions): Promise<Organization>;
  /** Takes writes again. */
  unarchive(orgName: string, options?: CallOptions): Promise<Organization>;
  /** Its members, by handle; after them, for who may invite, the pending invitations, by email. */
  listMembers(orgName: string, options?: ListMembers): List<Member>;
  /** An email that no account is known by is invited: the answer has the link to send there. */
  addMember(orgName: string, person: PersonName, role: OrganizationRole, options?: CallOptions): Promise<MemberResult>;
  /** Ends the membership at once, and every role in the organization's repositories; or cancels an invitation. */
  removeMember(orgName: string, person: PersonName, options?: CallOptions): Promise<Member>;
  /** Of an invitation, with a new link. */
  setMemberRole(
    orgName: string,
    person: PersonName,
    role: OrganizationRole,
    options?: CallOptions,
  ): Promise<MemberResult>;
}

/** Which entries of the audit log are listed. */
export type ListAudit = Omit<ProcedureInput<'audit.list'>, 'orgName'> & CallOptions;

/**
 * Who did what that decides over access, for admins of an organization. What concerns an account is in its personal one.
 *
 * @example
 * const { items } = await client.audit.list('acme', { action: 'repo.setVisibility' });
 */
export interface AuditSurface {
  /** The entries, newest first. */
  list(orgName: string, options?: ListAudit): List<AuditItem>;
}
