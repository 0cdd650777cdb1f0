// Every page and its address. What a page needs beyond the frame is loaded when it is opened. What belongs to no repository
// stands behind `-`, which hardly anybody calls one.
import { createRoute, createRouter, defaultParseSearch } from '@tanstack/react-router';
import { PendingPage, lazyPage } from './lazy-page.tsx';
import { operateRoutes, ownOperateRoutes } from './operate-routes.ts';
import { component, newOrganization, newRepositoryAnywhere, organization, organizationPages, registry, tokens } from './organization-routes.ts';
import { repository, shownRoutes } from './repository-routes.ts';
import { root } from './root-route.tsx';
import { editSearch, newSearch, newShapeSearch } from './search.ts';

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

// The pages that write to a repository, and their addresses.

const addRecord = createRoute({
  getParentRoute: () => repository,
  path: 'new',
  validateSearch: newSearch,
  component: lazyPage(() => import('../features/change/add-record.tsx'), 'AddRecord'),
});

const editRecord = createRoute({
  getParentRoute: () => repository,
  path: 'edit/$',
  validateSearch: editSearch,
  component: lazyPage(() => import('../features/change/edit-record.tsx'), 'EditRecord'),
});

const addShape = createRoute({
  getParentRoute: () => repository,
  path: 'new-shape',
  validateSearch: newShapeSearch,
  component: lazyPage(() => import('../features/change/edit-shape.tsx'), 'AddShape'),
});

const editShape = createRoute({
  getParentRoute: () => repository,
  path: 'edit-shape/$shapeName',
  component: lazyPage(() => import('../features/change/edit-shape.tsx'), 'EditShape'),
});

const editText = createRoute({
  getParentRoute: () => repository,
  path: 'edit-text/$textName',
  component: lazyPage(() => import('../features/change/edit-text.tsx'), 'EditText'),
});

const draft = createRoute({
  getParentRoute: () => repository,
  path: 'draft',
  component: lazyPage(() => import('../features/change/draft.tsx'), 'Draft'),
});

const imported = createRoute({
  getParentRoute: () => repository,
  path: 'import',
  component: lazyPage(() => import('../features/import/import.tsx'), 'Import'),
});

const settings = createRoute({
  getParentRoute: () => repository,
  path: 'settings',
  component: lazyPage(() => import('../features/settings/repository-settings.tsx'), 'RepositorySettings'),
});

const changeRoutes = [addRecord, editRecord, addShape, editShape, editText, draft, imported, settings];
