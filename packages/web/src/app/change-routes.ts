// The pages that write to a repository, and their addresses.
import { createRoute } from '@tanstack/react-router';
import { lazyPage } from './lazy-page.tsx';
import { repository } from './repository-routes.ts';
import { editSearch, newSearch, newShapeSearch } from './search.ts';

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

export const changeRoutes = [addRecord, editRecord, addShape, editShape, editText, draft, imported, settings];
