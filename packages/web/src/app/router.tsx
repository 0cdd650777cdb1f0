// Routes. Pages load on demand; addresses outside of repositories begin with `-`.
import { type AnyRoute, createRoute, createRouter, defaultParseSearch, redirect } from '@tanstack/react-router';
import { type LoadPage, lazyPage, PendingPage, root, UnknownPage } from './lazy-page.tsx';
import {
  auditSearch,
  commitSearch,
  editSearch,
  exportSearch,
  graphSearch,
  inTime,
  newSearch,
  newShapeSearch,
  type RawSearch,
  recordSearch,
  recordsSearch,
  registrySearch,
  runsSearch,
  shapeSearch,
} from './search.ts';

/** Makes routes below another, with or without search parameters. */
const below = <Parent extends AnyRoute>(getParentRoute: () => Parent) => ({
  page: <Path extends string, Name extends string>(path: Path, load: LoadPage<Name>, name: Name) =>
    createRoute({ getParentRoute, path, component: lazyPage(load, name) }),
  searched: <Path extends string, Name extends string, Search>(
    path: Path,
    validateSearch: (search: RawSearch) => Search,
    load: LoadPage<Name>,
    name: Name,
  ) => createRoute({ getParentRoute, path, validateSearch, component: lazyPage(load, name) }),
});

const top = below(() => root);
const topRoutes = [
  top.page('/', () => import('../features/home/home.tsx'), 'Home'),
  top.page('-/work', () => import('./works.tsx'), 'Works'),
  top.page('-/new-organization', () => import('../features/organization/new-organization.tsx'), 'NewOrganization'),
  top.page('-/new-repository', () => import('../features/organization/new-repository.tsx'), 'NewRepositoryAnywhere'),
  top.page('-/tokens', () => import('../features/token/tokens.tsx'), 'Tokens'),
  top.searched('-/registry', registrySearch, () => import('../features/component/registry.tsx'), 'Registry'),
  top.page('-/registry/$ownerName/$componentName', () => import('../features/component/component.tsx'), 'Component'),
];

const organization = top.page(
  '$orgName',
  () => import('../features/organization/organization-frame.tsx'),
  'OrganizationFrame',
);
const org = below(() => organization);
const organizationRoutes = [
  org.page('/', () => import('../features/organization/organization.tsx'), 'Organization'),
  org.page('-/new-repository', () => import('../features/organization/new-repository.tsx'), 'NewRepository'),
  org.page('-/members', () => import('../features/organization/members.tsx'), 'Members'),
  org.page(
    '-/components',
    () => import('../features/organization/organization-components.tsx'),
    'OrganizationComponents',
  ),
  org.searched('-/audit', auditSearch, () => import('../features/organization/audit.tsx'), 'Audit'),
  org.page('-/settings', () => import('../features/organization/organization-settings.tsx'), 'OrganizationSettings'),
];

/** Both repositories and organizations have these. In links `-` stands for the organization. */
function pagesOf<Parent extends AnyRoute>(getParentRoute: () => Parent) {
  const { page, searched } = below(getParentRoute);
  return [
    page('subscriptions', () => import('../features/operate/subscriptions.tsx'), 'Subscriptions'),
    // No subscription can be called `-`.
    page('subscriptions/-/new', () => import('../features/operate/new-subscription.tsx'), 'NewSubscription'),
    page('subscriptions/$name', () => import('../features/operate/subscription.tsx'), 'OneSubscription'),
    page('subscriptions/$name/edit', () => import('../features/operate/edit-subscription.tsx'), 'EditSubscription'),
    searched('runs', runsSearch, () => import('../features/operate/runs.tsx'), 'Runs'),
    page('runs/$runId', () => import('../features/operate/run.tsx'), 'Run'),
    page('notifications', () => import('../features/operate/notifications.tsx'), 'Notifications'),
    page('credentials', () => import('../features/operate/credential-sets.tsx'), 'CredentialSets'),
    page('credentials/$name', () => import('../features/operate/credential-set.tsx'), 'OneCredentialSet'),
  ] as const;
}

const ownOperate = org.page(
  '-/operate',
  () => import('../features/operate/operate-frame.tsx'),
  'OrganizationOperateFrame',
);
const ownOperateStart = createRoute({
  getParentRoute: () => ownOperate,
  path: '/',
  beforeLoad: ({ params: { orgName } }) => {
    const params = { orgName, repoName: '-' };
    throw redirect({ to: '/$orgName/$repoName/operate/subscriptions', params, replace: true });
  },
});

export const repository = createRoute({
  getParentRoute: () => root,
  path: '$orgName/$repoName',
  validateSearch: inTime,
  notFoundComponent: UnknownPage,
  component: lazyPage(() => import('../features/repository/repository-frame.tsx'), 'RepositoryFrame'),
});
const repo = below(() => repository);
const repositoryRoutes = [
  repo.page('/', () => import('../features/repository/overview.tsx'), 'Overview'),
  repo.page('shapes', () => import('../features/shape/shapes.tsx'), 'Shapes'),
  repo.searched('shapes/$shapeName', shapeSearch, () => import('../features/shape/shape.tsx'), 'Shape'),
  repo.searched('records', recordsSearch, () => import('../features/records/records.tsx'), 'Records'),
  repo.searched('record/$', recordSearch, () => import('../features/record/record.tsx'), 'Record'),
  repo.searched('graph', graphSearch, () => import('../features/graph/graph.tsx'), 'Graph'),
  repo.page('commits', () => import('../features/commit/commits.tsx'), 'Commits'),
  repo.searched('commits/$repoSeq', commitSearch, () => import('../features/commit/commit.tsx'), 'Commit'),
  repo.searched('export', exportSearch, () => import('../features/export/export.tsx'), 'Export'),
  repo.searched('new', newSearch, () => import('../features/change/add-record.tsx'), 'AddRecord'),
  repo.searched('edit/$', editSearch, () => import('../features/change/edit-record.tsx'), 'EditRecord'),
  repo.searched('new-shape', newShapeSearch, () => import('../features/change/edit-shape.tsx'), 'AddShape'),
  repo.page('edit-shape/$shapeName', () => import('../features/change/edit-shape.tsx'), 'EditShape'),
  repo.page('edit-text/$textName', () => import('../features/change/edit-text.tsx'), 'EditText'),
  repo.page('draft', () => import('../features/change/draft.tsx'), 'Draft'),
  repo.page('import', () => import('../features/import/import.tsx'), 'Import'),
  repo.page('settings', () => import('../features/settings/repository-settings.tsx'), 'RepositorySettings'),
];

const operate = repo.page('operate', () => import('../features/operate/operate-frame.tsx'), 'OperateFrame');
const operateStart = createRoute({
  getParentRoute: () => operate,
  path: '/',
  beforeLoad: ({ params, search }) => {
    throw redirect({ to: '/$orgName/$repoName/operate/subscriptions', params, search, replace: true });
  },
});
const operateRoutes = [
  ...pagesOf(() => operate),
  below(() => operate).page(
    'components',
    () => import('../features/component/installed-components.tsx'),
    'InstalledComponents',
  ),
  below(() => operate).page(
    'components/$ownerName/$componentName',
    () => import('../features/component/component-here.tsx'),
    'ComponentHere',
  ),
];

const routes = root.addChildren([
  ...topRoutes,
  organization.addChildren([
    ...organizationRoutes,
    ownOperate.addChildren([ownOperateStart, ...pagesOf(() => ownOperate)]),
  ]),
  repository.addChildren([...repositoryRoutes, operate.addChildren([operateStart, ...operateRoutes])]),
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
