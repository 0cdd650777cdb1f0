import type { InstallState } from '@cairn/protocol/vocabulary';
import type { ComponentReport } from '@cairn/sdk';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { paged, repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import type { RepositoryName } from '../../app/sight.ts';

export interface ComponentName {
  readonly ownerName: string;
  readonly componentName: string;
}

export const refOf = ({ ownerName, componentName }: ComponentName): string => `${ownerName}/${componentName}`;

export function namedBy(ref: string): ComponentName {
  const [ownerName = '', componentName = ''] = ref.split('/');
  return { ownerName, componentName };
}

export const registry = (orgName?: string, words = '') => ({
  ...paged(['registry', orgName ?? '', words], (asked) =>
    client.component.registry({
      ...asked,
      ...(orgName !== undefined && { orgName }),
      ...(words !== '' && { q: words }),
    }),
  ),
  placeholderData: keepPreviousData,
});

export const component = ({ ownerName, componentName }: ComponentName, version?: string) =>
  queryOptions({
    queryKey: ['component', ownerName, componentName, version ?? ''],
    queryFn: ({ signal }) =>
      client.component.view(ownerName, componentName, { signal, ...(version !== undefined && { version }) }),
  });

export const installKey = (place: RepositoryName) => [...repositoryKey(place), 'components'] as const;

export const installs = (place: RepositoryName) =>
  paged(installKey(place), (asked) => client.component.list(place.orgName, place.repoName, asked));

export const resolution = (place: RepositoryName, name: ComponentName) =>
  queryOptions({
    queryKey: [...installKey(place), 'resolution', refOf(name)],
    queryFn: ({ signal }) =>
      client.component.resolve(name.ownerName, name.componentName, `${place.orgName}/${place.repoName}`, { signal }),
  });

export const report = (place: RepositoryName, name: ComponentName) =>
  queryOptions({
    queryKey: [...installKey(place), 'report', refOf(name)],
    queryFn: async ({ signal }): Promise<ComponentReport | null> =>
      (await isInstalled(place, name, signal))
        ? await client.component.doctor(place.orgName, place.repoName, refOf(name), { signal })
        : null,
  });

/** A missing install is no error, so the list is asked. */
async function isInstalled(
  { orgName, repoName }: RepositoryName,
  name: ComponentName,
  signal: AbortSignal,
): Promise<boolean> {
  for await (const { component: ref, state } of client.component.list(orgName, repoName, { signal, limit: 500 })) {
    if (ref === refOf(name)) return state !== 'uninstalled';
  }
  return false;
}

export const STATE_WORDS: Readonly<Record<InstallState, string>> = {
  installing: 'The installation is not finished. If it is stuck, install it again.',
  ready: 'Everything that it declares exists.',
  degraded: 'Something is missing or failed. See the findings below.',
  paused: 'Its tokens are rejected, and it gets no deliveries or commands.',
  error: 'The installation failed, and nothing was written.',
  uninstalled: 'It is uninstalled. Everything that it wrote remains.',
};
