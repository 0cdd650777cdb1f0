// What a caller's token reaches beyond what is public, as a condition in SQL. Lists filter with it, so that a page is
// full and its cursor right however much of the table is hidden.
import type { Value } from './database.ts';

export interface Reach {
  /** Where no entry names the organization or the repository. */
  readonly everywhere: boolean;
  /** `org` or `org/repo`: whether it is reached. The narrowest that matches decides. */
  readonly resources: ReadonlyMap<string, boolean>;
}

export const NO_REACH: Reach = { everywhere: false, resources: new Map() };

/** The values of a statement while its text is put together. */
export class Parameters {
  readonly values: Value[] = [];

  add(value: Value): string {
    return `$${this.values.push(value)}`;
  }
}

/** Over rows of `organization`. */
export function reachesOrganization(reach: Reach, parameters: Parameters): string {
  return decide(reach, cases(reach, { column: 'organization.name', depth: 1, parameters }));
}

/** Over rows of `repository` joined to its `organization`. */
export function reachesRepository(reach: Reach, parameters: Parameters): string {
  const path = "organization.name || '/' || repository.name";
  return decide(reach, [
    ...cases(reach, { column: path, depth: 2, parameters }),
    ...cases(reach, { column: 'organization.name', depth: 1, parameters }),
  ]);
}

interface Column {
  readonly column: string;
  /** How many names make up the resources that it is compared with. */
  readonly depth: number;
  readonly parameters: Parameters;
}

function cases({ resources }: Reach, { column, depth, parameters }: Column): string[] {
  return [true, false].flatMap((reached) => {
    const names = [...resources.keys()].filter(
      (name) => resources.get(name) === reached && name.split('/').length === depth,
    );
    if (names.length === 0) return [];
    return [`when ${column} in (${names.map((name) => parameters.add(name)).join(', ')}) then ${Number(reached)}`];
  });
}

function decide({ everywhere }: Reach, cases: readonly string[]): string {
  const otherwise = Number(everywhere);
  return cases.length === 0 ? `${otherwise} = 1` : `case ${cases.join(' ')} else ${otherwise} end = 1`;
}
