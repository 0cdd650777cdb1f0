import type { AuditItem, Member, MemberResult, Organization, Person } from '@cairn/protocol/organization';
import type { ProcedureInput } from '@cairn/protocol/procedures';
import type { OrganizationRole } from '@cairn/protocol/scopes';
import type { List } from './list.ts';
import type { CallOptions } from './transport.ts';

/** A handle, or an email address, which contains an @. */
export type PersonName = Person | string;

/** Options of `org.list`. */
export type ListOrganizations = NonNullable<ProcedureInput<'org.list'>> & CallOptions;
/** Options of `org.create`. */
export type CreateOrganization = Omit<ProcedureInput<'org.create'>, 'name'> & CallOptions;
/** Options of `org.update`. */
export type UpdateOrganization = Omit<ProcedureInput<'org.update'>, 'orgName'> & CallOptions;
/** Options of `org.listMembers`. */
export type ListMembers = Omit<ProcedureInput<'org.listMembers'>, 'orgName'> & CallOptions;
/** Options of `org.rename`: the new name. */
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
  /** One organization, with the details that the caller may see. */
  get(orgName: string, options?: CallOptions): Promise<Organization>;
  /** Organizations that the caller may see, by name. */
  list(options?: ListOrganizations): List<Organization>;
  /** Creates an organization. The caller becomes its owner. */
  create(orgName: string, options?: CreateOrganization): Promise<Organization>;
  /** Updates the details of an organization. Fields that are left out keep their values. */
  update(orgName: string, options: UpdateOrganization): Promise<Organization>;
  /** Renames an organization. Nobody else can take the old name for 90 days. */
  rename(orgName: string, options: RenameOrganization): Promise<Organization>;
  /** Archives an organization. It and its repositories refuse writes from then on. */
  archive(orgName: string, options?: CallOptions): Promise<Organization>;
  /** Unarchives an organization, so that it accepts writes again. */
  unarchive(orgName: string, options?: CallOptions): Promise<Organization>;
  /** Members by handle, then pending invitations by email. Only callers who may invite see invitations. */
  listMembers(orgName: string, options?: ListMembers): List<Member>;
  /** Adds a member. An email address without an account gets an invitation: send it the link in the answer. */
  addMember(orgName: string, person: PersonName, role: OrganizationRole, options?: CallOptions): Promise<MemberResult>;
  /** Ends a membership and every role in the organization's repositories at once, or cancels an invitation. */
  removeMember(orgName: string, person: PersonName, options?: CallOptions): Promise<Member>;
  /** Changes the role of a member or of an invitation. An invitation gets a new link. */
  setMemberRole(
    orgName: string,
    person: PersonName,
    role: OrganizationRole,
    options?: CallOptions,
  ): Promise<MemberResult>;
}

/** Options of `audit.list`, such as the action to filter by. */
export type ListAudit = Omit<ProcedureInput<'audit.list'>, 'orgName'> & CallOptions;

/**
 * Audit log of access changes, for admins of an organization. Events of an account are in its personal log.
 *
 * @example
 * const { items } = await client.audit.list('acme', { action: 'repo.setVisibility' });
 */
export interface AuditSurface {
  /** Entries of the log, newest first. */
  list(orgName: string, options?: ListAudit): List<AuditItem>;
}
