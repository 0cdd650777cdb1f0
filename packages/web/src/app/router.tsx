// Every page and its address. What a page needs beyond the frame is loaded when it is opened.
import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { ProblemPage } from '../parts/problem-page.tsx';
import { Frame } from './frame.tsx';
import { commitSearch, exportSearch, graphSearch, inTime, recordSearch, recordsSearch, shapeSearch } from './search.ts';
import { UnknownPage } from './unknown-page.tsx';

interface Context {
  readonly queryClient: QueryClient;
}

const root = createRootRouteWithContext<Context>()({
  component: Frame,
  errorComponent: ProblemPage,
  notFoundComponent: UnknownPage,
});

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/home.tsx'), 'Home'),
});

const organization = createRoute({
  getParentRoute: () => root,
  path: '$orgName',
  component: lazyRouteComponent(() => import('../pages/organization.tsx'), 'Organization'),
});

const repository = createRoute({
  getParentRoute: () => root,
  path: '$orgName/$repoName',
  validateSearch: inTime,
  component: lazyRouteComponent(() => import('../pages/repository/repository-frame.tsx'), 'RepositoryFrame'),
});

const overview = createRoute({
  getParentRoute: () => repository,
  path: '/',
  component: lazyRouteComponent(() => import('../pages/repository/overview.tsx'), 'Overview'),
});

const shapes = createRoute({
  getParentRoute: () => repository,
  path: 'shapes',
  component: lazyRouteComponent(() => import('../pages/shape/shapes.tsx'), 'Shapes'),
});

const shape = createRoute({
  getParentRoute: () => repository,
  path: 'shapes/$shapeName',
  validateSearch: shapeSearch,
  component: lazyRouteComponent(() => import('../pages/shape/shape.tsx'), 'Shape'),
});

const records = createRoute({
  getParentRoute: () => repository,
  path: 'records',
  validateSearch: recordsSearch,
  component: lazyRouteComponent(() => import('../pages/records/records.tsx'), 'Records'),
});

const record = createRoute({
  getParentRoute: () => repository,
  path: 'record/$',
  validateSearch: recordSearch,
  component: lazyRouteComponent(() => import('../pages/record/record.tsx'), 'Record'),
});

const graph = createRoute({
  getParentRoute: () => repository,
  path: 'graph',
  validateSearch: graphSearch,
  component: lazyRouteComponent(() => import('../pages/graph/graph.tsx'), 'Graph'),
});

const commits = createRoute({
  getParentRoute: () => repository,
  path: 'commits',
  component: lazyRouteComponent(() => import('../pages/commit/commits.tsx'), 'Commits'),
});

const commit = createRoute({
  getParentRoute: () => repository,
  path: 'commits/$repoSeq',
  validateSearch: commitSearch,
  component: lazyRouteComponent(() => import('../pages/commit/commit.tsx'), 'Commit'),
});

const exported = createRoute({
  getParentRoute: () => repository,
  path: 'export',
  validateSearch: exportSearch,
  component: lazyRouteComponent(() => import('../pages/export/export.tsx'), 'Export'),
});

const ofRepository = [overview, shapes, shape, records, record, graph, commits, commit, exported];
const routes = root.addChildren([home, organization, repository.addChildren(ofRepository)]);

export function createExplorerRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree: routes,
    context: { queryClient },
    defaultPreload: 'intent',
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createExplorerRouter>;
  }
}
