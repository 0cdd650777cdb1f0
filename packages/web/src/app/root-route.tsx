import { createRootRouteWithContext } from '@tanstack/react-router';
import { ProblemPage } from '../ui/problem-page.tsx';
import { Frame } from './frame.tsx';
import { UnknownPage } from './unknown-page.tsx';

interface Context {
  /** What the address said that was opened: the router takes out of it at once what no page understands. */
  readonly opened: Readonly<Record<string, unknown>>;
}

/** What every address begins at. */
export const root = createRootRouteWithContext<Context>()({
  component: Frame,
  errorComponent: ProblemPage,
  notFoundComponent: UnknownPage,
});
