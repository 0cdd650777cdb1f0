// Loads page scripts on demand. While offline it waits: the router would reload the page, which loses what is not
// committed.
import { onlineManager } from '@tanstack/react-query';
import { createRootRouteWithContext, Link, lazyRouteComponent, type RouteComponent } from '@tanstack/react-router';
import { Page, ProblemPage, Waiting } from '../ui/page.tsx';
import { Frame } from './frame.tsx';
import { backOnline } from './problem.ts';

export type LoadPage<Name extends string> = () => Promise<{ readonly [Key in Name]: RouteComponent }>;

export const lazyPage = <Name extends string>(load: LoadPage<Name>, name: Name): RouteComponent =>
  lazyRouteComponent<Record<string, RouteComponent>, string>(() => loaded(load), name);

async function loaded<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    // Chromium caches a failed script import and never requests it again, so wait for the network first.
    if (!onlineManager.isOnline()) await backOnline();
    try {
      return await load();
    } catch (cause) {
      if (onlineManager.isOnline()) {
        const message =
          'The page could not be loaded: the server is down, or it was updated. Try again, or reload the page.';
        throw new Error(message, { cause });
      }
    }
  }
}

export const PendingPage = () => <Waiting>Loading the page…</Waiting>;

export const UnknownPage = () => (
  <section className="problem" role="alert">
    <Page title="Page not found">
      <p>
        The address may be misspelled, or the page no longer exists. <Link to="/">Go to the home page</Link>.
      </p>
    </Page>
  </section>
);

interface Context {
  /** The raw address: the router removes what no page understands. */
  readonly opened: Readonly<Record<string, unknown>>;
}

export const root = createRootRouteWithContext<Context>()({
  component: Frame,
  errorComponent: ProblemPage,
  notFoundComponent: UnknownPage,
});
