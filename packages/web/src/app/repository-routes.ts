// The pages that show a repository, and their addresses.
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from './lazy-page.tsx';
import { root } from './root-route.tsx';
import { commitSearch, exportSearch, graphSearch, inTime, recordSearch, recordsSearch, shapeSearch } from './search.ts';
import { UnknownPage } from './unknown-page.tsx';

export const repository = createRoute({
  getParentRoute: () => root,
  path: '$orgName/$repoName',
  validateSearch: inTime,
  notFoundComponent: UnknownPage,
  component: lazyPage(() => import('../features/repository/repository-frame.tsx'), 'RepositoryFrame'),
});

const overview = createRoute({
  getParentRoute: () => repository,
  path: '/',
  component: lazyPage(() => import('../features/repository/overview.tsx'), 'Overview'),
});

const shapes = createRoute({
  getParentRoute: () => repository,
  path: 'shapes',
  component: lazyPage(() => import('../features/shape/shapes.tsx'), 'Shapes'),
});

const shape = createRoute({
  getParentRoute: () => repository,
  path: 'shapes/$shapeName',
  validateSearch: shapeSearch,
  component: lazyPage(() => import('../features/shape/shape.tsx'), 'Shape'),
});

const records = createRoute({
  getParentRoute: () => repository,
  path: 'records',
  validateSearch: recordsSearch,
  component: lazyPage(() => import('../features/records/records.tsx'), 'Records'),
});

const record = createRoute({
  getParentRoute: () => repository,
  path: 'record/$',
  validateSearch: recordSearch,
  component: lazyPage(() => import('../features/record/record.tsx'), 'Record'),
});

const graph = createRoute({
  getParentRoute: () => repository,
  path: 'graph',
  validateSearch: graphSearch,
  component: lazyPage(() => import('../features/graph/graph.tsx'), 'Graph'),
});

const commits = createRoute({
  getParentRoute: () => repository,
  path: 'commits',
  component: lazyPage(() => import('../features/commit/commits.tsx'), 'Commits'),
});

const commit = createRoute({
  getParentRoute: () => repository,
  path: 'commits/$repoSeq',
  validateSearch: commitSearch,
  component: lazyPage(() => import('../features/commit/commit.tsx'), 'Commit'),
});

const exported = createRoute({
  getParentRoute: () => repository,
  path: 'export',
  validateSearch: exportSearch,
  component: lazyPage(() => import('../features/export/export.tsx'), 'Export'),
});

export const shownRoutes = [overview, shapes, shape, records, record, graph, commits, commit, exported];
