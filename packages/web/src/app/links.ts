// Addresses of pages, for links and navigation. Pages of a repository keep the current sequence.
import { linkOptions } from '@tanstack/react-router';
import type { GraphSearch, NewSearch, RecordsSearch, RunsSearch } from './search.ts';
import { addressOf, type Home, type Sight, timeOf } from './sight.ts';

const at = <Search extends object>(sight: Sight, search?: Search) =>
  ({ ...timeOf(sight), ...search }) as Search & { at?: number };

export const toOrganization = (orgName: string) => linkOptions({ to: '/$orgName', params: { orgName } });

export const toOrganizationSettings = (orgName: string) =>
  linkOptions({ to: '/$orgName/-/settings', params: { orgName } });

export const toNewRepository = (orgName: string) =>
  linkOptions({ to: '/$orgName/-/new-repository', params: { orgName } });

export const toRepository = (sight: Sight) =>
  linkOptions({ to: '/$orgName/$repoName', params: sight, search: at(sight) });

export const toRecords = (sight: Sight, search: RecordsSearch = {}) =>
  linkOptions({ to: '/$orgName/$repoName/records', params: sight, search: at(sight, search) });

export const toRecord = (sight: Sight, name: string, search: { readonly version?: number } = {}) =>
  linkOptions({
    to: '/$orgName/$repoName/record/$',
    params: { ...sight, _splat: name },
    search: at(sight, search),
  });

export const toShapes = (sight: Sight) =>
  linkOptions({ to: '/$orgName/$repoName/shapes', params: sight, search: at(sight) });

export const toShape = (sight: Sight, shapeName: string, search: { readonly version?: number } = {}) =>
  linkOptions({
    to: '/$orgName/$repoName/shapes/$shapeName',
    params: { ...sight, shapeName },
    search: at(sight, search),
  });

/** Shape names have no slash. */
export const toNamed = (sight: Sight, name: string, search: { readonly version?: number } = {}) =>
  name.includes('/') ? toRecord(sight, name, search) : toShape(sight, name, search);

export const toGraph = (sight: Sight, search: GraphSearch) =>
  linkOptions({ to: '/$orgName/$repoName/graph', params: sight, search: at(sight, search) });

export const toCommits = (sight: Sight) =>
  linkOptions({ to: '/$orgName/$repoName/commits', params: sight, search: at(sight) });

export const toCommit = (sight: Sight, repoSeq: number) =>
  linkOptions({
    to: '/$orgName/$repoName/commits/$repoSeq',
    params: { ...sight, repoSeq: String(repoSeq) },
    search: at(sight),
  });

// Pages that write exist at present only.

export const toDraft = (sight: Sight) => linkOptions({ to: '/$orgName/$repoName/draft', params: sight });
export const toImport = (sight: Sight) => linkOptions({ to: '/$orgName/$repoName/import', params: sight });

export const toNewRecord = (sight: Sight, search: NewSearch = {}) =>
  linkOptions({ to: '/$orgName/$repoName/new', params: sight, search });

export const toNewShape = (sight: Sight, search: { readonly name?: string } = {}) =>
  linkOptions({ to: '/$orgName/$repoName/new-shape', params: sight, search });

export const toEdit = (
  sight: Sight,
  name: string,
  search: { readonly step?: 'rename' | 'retract'; readonly version?: number } = {},
) => linkOptions({ to: '/$orgName/$repoName/edit/$', params: { ...sight, _splat: name }, search });

export const toEditShape = (sight: Sight, shapeName: string) =>
  linkOptions({ to: '/$orgName/$repoName/edit-shape/$shapeName', params: { ...sight, shapeName } });

export const toEditText = (sight: Sight, textName: string) =>
  linkOptions({ to: '/$orgName/$repoName/edit-text/$textName', params: { ...sight, textName } });

export const toComponent = (component: { readonly ownerName: string; readonly componentName: string }) =>
  linkOptions({ to: '/-/registry/$ownerName/$componentName', params: component });

export const toComponentIn = (
  sight: Sight,
  component: { readonly ownerName: string; readonly componentName: string },
) =>
  linkOptions({
    to: '/$orgName/$repoName/operate/components/$ownerName/$componentName',
    params: { ...sight, ...component },
    search: {},
  });

export const toSubscriptions = (home: Home) =>
  linkOptions({ to: '/$orgName/$repoName/operate/subscriptions', params: addressOf(home), search: {} });

export const toSubscription = (home: Home, name: string) =>
  linkOptions({
    to: '/$orgName/$repoName/operate/subscriptions/$name',
    params: { ...addressOf(home), name },
    search: {},
  });

export const toRuns = (home: Home, search: RunsSearch = {}) =>
  linkOptions({ to: '/$orgName/$repoName/operate/runs', params: addressOf(home), search });

export const toRun = (home: Home, runId: string) =>
  linkOptions({ to: '/$orgName/$repoName/operate/runs/$runId', params: { ...addressOf(home), runId }, search: {} });

export const toCredentialSet = (home: Home, name: string) =>
  linkOptions({
    to: '/$orgName/$repoName/operate/credentials/$name',
    params: { ...addressOf(home), name },
    search: {},
  });
