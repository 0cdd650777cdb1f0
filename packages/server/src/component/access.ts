// Who learns of a component. One that is private is, for a caller outside its organization, as if it were not there.

import type { Context } from '../access/context.ts';
import { accountOf } from '../access/requirement.ts';
import { findOrganization } from '../repository/organization.sql.ts';
import { type ComponentRef, componentNotFound, type FoundComponent, findComponent } from './component.sql.ts';

/** A component of the registry, for who wants to see, install or call it. */
export async function seeComponent(context: Context, ref: ComponentRef): Promise<FoundComponent> {
  const found = await findComponent(context.store.database, ref);
  if (found === undefined || found.unregisteredAt !== undefined) throw componentNotFound();
  if (found.visibility === 'private' && !(await isMember(context, found.orgName))) throw componentNotFound();
  return found;
}

/** By their role alone: a token that may write to one repository installs what its owner may see. */
export async function isMember({ principal, store }: Context, orgName: string): Promise<boolean> {
  const found = await findOrganization(store.database, orgName, accountOf(principal));
  return found !== undefined && found.role !== null;
}

/** Where a component may be reached besides its setup endpoint. */
export function originsOf({ setupUrl, allowedCallbacks }: FoundComponent): string[] {
  const given = setupUrl === undefined ? allowedCallbacks : [setupUrl, ...allowedCallbacks];
  return given.map((text) => new URL(text).origin);
}

/** Of `org/name`, whose form the protocol has checked. */
export function componentRefOf(text: string): ComponentRef {
  const slash = text.indexOf('/');
  return { orgName: text.slice(0, slash), name: text.slice(slash + 1) };
}
