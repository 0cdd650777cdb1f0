// The pages that operate a repository, or what is an organization's own, and their addresses.
import { type AnyRoute, createRoute, redirect } from '@tanstack/react-router';
import { lazyPage } from './lazy-page.tsx';
import { organization } from './organization-routes.ts';
import { repository } from './repository-routes.ts';
import { runsSearch } from './search.ts';

/** Those that both have. Links name them by a repository's address, in which `-` stands for the organization itself. */
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

export const operateRoutes = operate.addChildren([operateStart, ...pagesOf(() => operate), components, componentHere]);

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

export const ownOperateRoutes = ownOperate.addChildren([ownOperateStart, ...pagesOf(() => ownOperate)]);
