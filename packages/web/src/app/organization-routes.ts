// The pages of an organization, of an account and of the registry, and their addresses.
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { root } from './root-route.tsx';
import { auditSearch, registrySearch } from './search.ts';

const organization = createRoute({
  getParentRoute: () => root,
  path: '$orgName',
  component: lazyRouteComponent(() => import('../pages/organization/organization-frame.tsx'), 'OrganizationFrame'),
});

const repositories = createRoute({
  getParentRoute: () => organization,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/organization/organization.tsx'), 'Organization'),
});

const newRepository = createRoute({
  getParentRoute: () => organization,
  path: '-/new-repository',
  component: lazyRouteComponent(() => import('../pages/organization/new-repository.tsx'), 'NewRepository'),
});

const members = createRoute({
  getParentRoute: () => organization,
  path: '-/members',
  component: lazyRouteComponent(() => import('../pages/organization/members.tsx'), 'Members'),
});

const components = createRoute({
  getParentRoute: () => organization,
  path: '-/components',
  component: lazyRouteComponent(
    () => import('../pages/organization/organization-components.tsx'),
    'OrganizationComponents',
  ),
});

const audit = createRoute({
  getParentRoute: () => organization,
  path: '-/audit',
  validateSearch: auditSearch,
  component: lazyRouteComponent(() => import('../pages/organization/audit.tsx'), 'Audit'),
});

const settings = createRoute({
  getParentRoute: () => organization,
  path: '-/settings',
  component: lazyRouteComponent(
    () => import('../pages/organization/organization-settings.tsx'),
    'OrganizationSettings',
  ),
});

export const organizationRoutes = organization.addChildren([
  repositories,
  newRepository,
  members,
  components,
  audit,
  settings,
]);

export const newOrganization = createRoute({
  getParentRoute: () => root,
  path: '-/new-organization',
  component: lazyRouteComponent(() => import('../pages/organization/new-organization.tsx'), 'NewOrganization'),
});

export const tokens = createRoute({
  getParentRoute: () => root,
  path: '-/tokens',
  component: lazyRouteComponent(() => import('../pages/token/tokens.tsx'), 'Tokens'),
});

export const registry = createRoute({
  getParentRoute: () => root,
  path: '-/registry',
  validateSearch: registrySearch,
  component: lazyRouteComponent(() => import('../pages/component/registry.tsx'), 'Registry'),
});

export const component = createRoute({
  getParentRoute: () => root,
  path: '-/registry/$ownerName/$componentName',
  component: lazyRouteComponent(() => import('../pages/component/component.tsx'), 'Component'),
});
