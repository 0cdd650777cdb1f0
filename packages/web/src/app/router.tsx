// Every page and its address. What a page needs beyond the frame is loaded when it is opened. What belongs to no repository
// stands behind `-`, which hardly anybody calls one.
import { createRoute, createRouter, defaultParseSearch } from '@tanstack/react-router';
import { changeRoutes } from './change-routes.ts';
import { lazyPage, PendingPage } from './lazy-page.tsx';
import { operateRoutes, ownOperateRoutes } from './operate-routes.ts';
import {
  component,
  newOrganization,
  newRepositoryAnywhere,
  organization,
  organizationPages,
  registry,
  tokens,
} from './organization-routes.ts';
import { repository, shownRoutes } from './repository-routes.ts';
import { root } from './root-route.tsx';

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyPage(() => import('../features/home/home.tsx'), 'Home'),
});

const works = createRoute({
  getParentRoute: () => root,
  path: '-/work',
  component: lazyPage(() => import('./works.tsx'), 'Works'),
});

const routes = root.addChildren([
  home,
  works,
  newOrganization,
  newRepositoryAnywhere,
  tokens,
  registry,
  component,
  organization.addChildren([...organizationPages, ownOperateRoutes]),
  repository.addChildren([...shownRoutes, ...changeRoutes, operateRoutes]),
]);

export function createExplorerRouter() {
  return createRouter({
    routeTree: routes,
    context: { opened: defaultParseSearch(window.location.search) },
    defaultPreload: 'intent',
    defaultPendingComponent: PendingPage,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createExplorerRouter>;
  }
}
