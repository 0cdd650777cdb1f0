// Pages of what organizations have, by organization and name.
import type { Parameters } from '../access/reach.sql.ts';

interface PageStart {
  /** Only of this organization. */
  readonly orgName: string | undefined;
  /** The last one of the page before; the first page begins after empty names. */
  readonly after: { readonly orgName: string; readonly name: string };
  readonly limit: number;
}

/** Which rows a part of a page is of, over `organization` and the column that holds their names. */
export type Place = (parameters: Parameters) => string;

/** First the rest of the organization that the page before ended in, then those after it. Each part is an index's to find. */
export async function listByOrganization<Item>(
  { orgName, after, limit }: PageStart,
  column: string,
  list: (place: Place, limit: number) => Promise<Item[]>,
): Promise<Item[]> {
  const here = await list((parameters) => {
    const organization = parameters.add(orgName ?? after.orgName);
    return `organization.name = ${organization} and ${column} > ${parameters.add(after.name)}`;
  }, limit);
  if (orgName !== undefined || here.length === limit) return here;
  const beyond = await list(
    (parameters) => `organization.name > ${parameters.add(after.orgName)}`,
    limit - here.length,
  );
  return [...here, ...beyond];
}
