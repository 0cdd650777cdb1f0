import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext } from '@tanstack/react-router';
import { ProblemPage } from '../parts/problem-page.tsx';
import { Frame } from './frame.tsx';
import { UnknownPage } from './unknown-page.tsx';

interface Context {
  readonly queryClient: QueryClient;
}

/** What every address begins at. */
export const root = createRootRouteWithContext<Context>()({
  component: Frame,
  errorComponent: ProblemPage,
  notFoundComponent: UnknownPage,
});
