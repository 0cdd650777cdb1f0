// Routes. Pages load on demand; addresses outside of repositories begin with `-`.
import { type AnyRoute, createRoute, createRouter, defaultParseSearch, redirect } from '@tanstack/react-router';
import { lazyPage, PendingPage, root, UnknownPage } from './lazy-page.tsx';
import {
  component,
  newOrganization,
  newRepositoryAnywhere,
  organization,
  organizationPages,
  registry,
  tokens,
} from './organization-routes.ts';
import {
  commitSearch,
  editSearch,
  exportSearch,
  graphSearch,
  inTime,
  newSearch,
  newShapeSearch,
  recordSearch,
  recordsSearch,
  runsSearch,
  shapeSearch,
} from './search.ts';

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

/** Both repositories and organizations have these. In links `-` stands for the organization. */
const pagesOf = <Parent extends AnyRoute>(getParentRoute: () => Parent) =>
  [
    createRoute({
      getParentRoute,
      path: 'subscriptions',
      component: lazyPage(() => import('../features/operate/subscriptions.tsx'), 'Subscriptions'),
    }),
    // No subscription can be called `-`.
    createRoute({
      getParentRoute,
      path: 'subscriptions/-/new',
      component: lazyPage(() => import('../features/operate/new-subscription.tsx'), 'NewSubscription'),
    }),
    createRoute({
      getParentRoute,
      path: 'subscriptions/$name',
      component: lazyPage(() => import('../features/operate/subscription.tsx'), 'OneSubscription'),
    }),
    createRoute({
      getParentRoute,
      path: 'subscriptions/$name/edit',
      component: lazyPage(() => import('../features/operate/edit-subscription.tsx'), 'EditSubscription'),
    }),
    createRoute({
      getParentRoute,
      path: 'runs',
      validateSearch: runsSearch,
      component: lazyPage(() => import('../features/operate/runs.tsx'), 'Runs'),
    }),
    createRoute({
      getParentRoute,
      path: 'runs/$runId',
      component: lazyPage(() => import('../features/operate/run.tsx'), 'Run'),
    }),
    createRoute({
      getParentRoute,
      path: 'notifications',
      component: lazyPage(() => import('../features/operate/notifications.tsx'), 'Notifications'),
    }),
    createRoute({
      getParentRoute,
      path: 'credentials',
      component: lazyPage(() => import('../features/operate/credential-sets.tsx'), 'CredentialSets'),
    }),
    createRoute({
      getParentRoute,
      path: 'credentials/$name',
      component: lazyPage(() => import('../features/operate/credential-set.tsx'), 'OneCredentialSet'),
    }),
  ] as const;

const operate = createRoute({
  getParentRoute: () => repository,
  path: 'operate',
  component: lazyPage(() => import('../features/operate/operate-frame.tsx'), 'OperateFrame'),
});
const operateStart = createRoute({
  getParentRoute: () => operate,
  path: '/',
  beforeLoad: ({ params, search }) => {
    throw redirect({ to: '/$orgName/$repoName/operate/subscriptions', params, search, replace: true });
  },
});
const components = createRoute({
  getParentRoute: () => operate,
  path: 'components',
  component: lazyPage(() => import('../features/component/installed-components.tsx'), 'InstalledComponents'),
});
const componentHere = createRoute({
  getParentRoute: () => operate,
  path: 'components/$ownerName/$componentName',
  component: lazyPage(() => import('../features/component/component-here.tsx'), 'ComponentHere'),
});

const operateRoutes = operate.addChildren([operateStart, ...pagesOf(() => operate), components, componentHere]);

const ownOperate = createRoute({
  getParentRoute: () => organization,
  path: '-/operate',
  component: lazyPage(() => import('../features/operate/operate-frame.tsx'), 'OrganizationOperateFrame'),
});
const ownOperateStart = createRoute({
  getParentRoute: () => ownOperate,
  path: '/',
  beforeLoad: ({ params: { orgName } }) => {
    const params = { orgName, repoName: '-' };
    throw redirect({ to: '/$orgName/$repoName/operate/subscriptions', params, replace: true });
  },
});

const ownOperateRoutes = ownOperate.addChildren([ownOperateStart, ...pagesOf(() => ownOperate)]);

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

const shownRoutes = [overview, shapes, shape, records, record, graph, commits, commit, exported];

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

export const createExplorerRouter = () =>
  createRouter({
    routeTree: routes,
    context: { opened: defaultParseSearch(window.location.search) },
    defaultPreload: 'intent',
    defaultPendingComponent: PendingPage,
    scrollRestoration: true,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createExplorerRouter>;
  }
}
