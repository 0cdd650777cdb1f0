// The calls of a surface for one repository: the same names, without the two arguments that say which.

/** The calls of a surface that begin with an organization and a repository, without these two. */
export type Bound<Surface> = {
  [Name in keyof Surface]: Surface[Name] extends (
    orgName: string,
    repoName: string,
    ...rest: infer Rest
  ) => infer Result
    ? (...rest: Rest) => Result
    : never;
};

/** The repository that a handle is of. */
export interface BoundTo {
  readonly orgName: string;
  readonly repoName: string;
}

/** Without the calls that are about something else than a repository. */
export function bind<Surface extends object, Other extends keyof Surface = never>(
  surface: Surface,
  { orgName, repoName }: BoundTo,
  others: readonly Other[] = [],
): Bound<Omit<Surface, Other>> {
  const calls = Object.entries<(...given: unknown[]) => unknown>(surface as never);
  return Object.fromEntries(
    calls
      .filter(([name]) => !others.includes(name as Other))
      .map(([name, call]) => [name, (...rest: unknown[]) => call(orgName, repoName, ...rest)]),
  ) as Bound<Omit<Surface, Other>>;
}
