// The pages that operate a repository, and their addresses.
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { repository } from './repository-routes.ts';
import { runsSearch } from './search.ts';

const operate = createRoute({
  getParentRoute: () => repository,
  path: 'operate',
  component: lazyRouteComponent(() => import('../pages/operate/operate-frame.tsx'), 'OperateFrame'),
});

const operateStart = createRoute({
  getParentRoute: () => operate,
  path: '/',
  beforeLoad: ({ params, search }) => {
    throw redirect({ to: '/$orgName/$repoName/operate/subscriptions', params, search, replace: true });
  },
});

const subscriptions = createRoute({
  getParentRoute: () => operate,
  path: 'subscriptions',
  component: lazyRouteComponent(() => import('../pages/operate/subscriptions.tsx'), 'Subscriptions'),
});

// No subscription can be called `-`.
const newSubscription = createRoute({
  getParentRoute: () => operate,
  path: 'subscriptions/-/new',
  component: lazyRouteComponent(() => import('../pages/operate/new-subscription.tsx'), 'NewSubscription'),
});

const subscription = createRoute({
  getParentRoute: () => operate,
  path: 'subscriptions/$name',
  component: lazyRouteComponent(() => import('../pages/operate/subscription.tsx'), 'OneSubscription'),
});

const editSubscription = createRoute({
  getParentRoute: () => operate,
  path: 'subscriptions/$name/edit',
  component: lazyRouteComponent(() => import('../pages/operate/edit-subscription.tsx'), 'EditSubscription'),
});

const runs = createRoute({
  getParentRoute: () => operate,
  path: 'runs',
  validateSearch: runsSearch,
  component: lazyRouteComponent(() => import('../pages/operate/runs.tsx'), 'Runs'),
});

const run = createRoute({
  getParentRoute: () => operate,
  path: 'runs/$runId',
  component: lazyRouteComponent(() => import('../pages/operate/run.tsx'), 'Run'),
});

const notifications = createRoute({
  getParentRoute: () => operate,
  path: 'notifications',
  component: lazyRouteComponent(() => import('../pages/operate/notifications.tsx'), 'Notifications'),
});

const credentialSets = createRoute({
  getParentRoute: () => operate,
  path: 'credentials',
  component: lazyRouteComponent(() => import('../pages/operate/credential-sets.tsx'), 'CredentialSets'),
});

const credentialSet = createRoute({
  getParentRoute: () => operate,
  path: 'credentials/$name',
  component: lazyRouteComponent(() => import('../pages/operate/credential-set.tsx'), 'OneCredentialSet'),
});

const components = createRoute({
  getParentRoute: () => operate,
  path: 'components',
  component: lazyRouteComponent(() => import('../pages/component/installed-components.tsx'), 'InstalledComponents'),
});

const componentHere = createRoute({
  getParentRoute: () => operate,
  path: 'components/$ownerName/$componentName',
  component: lazyRouteComponent(() => import('../pages/component/component-here.tsx'), 'ComponentHere'),
});

export const operateRoutes = operate.addChildren([
  operateStart,
  subscriptions,
  newSubscription,
  subscription,
  editSubscription,
  runs,
  run,
  notifications,
  credentialSets,
  credentialSet,
  components,
  componentHere,
]);
