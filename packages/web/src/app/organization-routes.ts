import { createRoute } from '@tanstack/react-router';
import { lazyPage, root } from './lazy-page.tsx';
import { auditSearch, registrySearch } from './search.ts';

export const organization = createRoute({
  getParentRoute: () => root,
  path: '$orgName',
  component: lazyPage(() => import('../features/organization/organization-frame.tsx'), 'OrganizationFrame'),
});
const repositories = createRoute({
  getParentRoute: () => organization,
  path: '/',
  component: lazyPage(() => import('../features/organization/organization.tsx'), 'Organization'),
});
const newRepository = createRoute({
  getParentRoute: () => organization,
  path: '-/new-repository',
  component: lazyPage(() => import('../features/organization/new-repository.tsx'), 'NewRepository'),
});
const members = createRoute({
  getParentRoute: () => organization,
  path: '-/members',
  component: lazyPage(() => import('../features/organization/members.tsx'), 'Members'),
});
const components = createRoute({
  getParentRoute: () => organization,
  path: '-/components',
  component: lazyPage(() => import('../features/organization/organization-components.tsx'), 'OrganizationComponents'),
});
const audit = createRoute({
  getParentRoute: () => organization,
  path: '-/audit',
  validateSearch: auditSearch,
  component: lazyPage(() => import('../features/organization/audit.tsx'), 'Audit'),
});
const settings = createRoute({
  getParentRoute: () => organization,
  path: '-/settings',
  component: lazyPage(() => import('../features/organization/organization-settings.tsx'), 'OrganizationSettings'),
});

export const organizationPages = [repositories, newRepository, members, components, audit, settings] as const;

export const newOrganization = createRoute({
  getParentRoute: () => root,
  path: '-/new-organization',
  component: lazyPage(() => import('../features/organization/new-organization.tsx'), 'NewOrganization'),
});
export const newRepositoryAnywhere = createRoute({
  getParentRoute: () => root,
  path: '-/new-repository',
  component: lazyPage(() => import('../features/organization/new-repository.tsx'), 'NewRepositoryAnywhere'),
});
export const tokens = createRoute({
  getParentRoute: () => root,
  path: '-/tokens',
  component: lazyPage(() => import('../features/token/tokens.tsx'), 'Tokens'),
});
export const registry = createRoute({
  getParentRoute: () => root,
  path: '-/registry',
  validateSearch: registrySearch,
  component: lazyPage(() => import('../features/component/registry.tsx'), 'Registry'),
});
export const component = createRoute({
  getParentRoute: () => root,
  path: '-/registry/$ownerName/$componentName',
  component: lazyPage(() => import('../features/component/component.tsx'), 'Component'),
});
