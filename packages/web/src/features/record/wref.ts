// Wrefs as they are written: `Location/cave`, `Location/cave@v3`, `wh:acme/world/Location/cave@v3`.

export interface Place {
  /** Of a record in another repository. */
  readonly orgName?: string;
  readonly repoName?: string;
  /** The full name; of a shape, its bare name. */
  readonly name: string;
  readonly version?: number;
}

/** Names are short, and the texts of a record may not be. */
export const NAME_MOST = 1_000;

const FORM = /^(?:wh:([^/]+)\/([^/]+)\/)?(.+?)(?:@(?:v(\d+)|HEAD|ALL))?$/;

export function placeOf(wref: string): Place {
  const [, orgName, repoName, name = wref, version] = FORM.exec(wref) ?? [];
  return {
    ...(orgName !== undefined && repoName !== undefined && { orgName, repoName }),
    name,
    ...(version !== undefined && { version: Number(version) }),
  };
}

/** A version of a record, or the record at its head. */
export const pinned = (name: string, version: number | undefined): string =>
  version === undefined ? name : `${name}@v${version}`;
