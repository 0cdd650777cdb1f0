// Loads page scripts on demand. While offline it waits: the router would reload the page, which loses what is not
// committed.
import { onlineManager } from '@tanstack/react-query';
import { createRootRouteWithContext, Link, lazyRouteComponent } from '@tanstack/react-router';
import { ProblemPage, useTitle } from '../ui/page.tsx';
import { Frame } from './frame.tsx';
import { backOnline, useOnline } from './problem.ts';

export const lazyPage: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => loaded(load), name);

async function loaded<Module>(load: () => Promise<Module>): Promise<Module> {
  for (;;) {
    // Chromium caches a failed script import and never requests it again, so wait for the network first.
    if (!onlineManager.isOnline()) await backOnline();
    try {
      return await load();
    } catch (cause) {
      if (onlineManager.isOnline()) {
        const message = 'The page could not be loaded: the server is away, or was renewed. Try again, or load it anew.';
        throw new Error(message, { cause });
      }
    }
  }
}

export const PendingPage = () => (
  <p className="waiting" role="status">
    {useOnline() ? 'Loading the page…' : 'You are offline. This goes on when you are back.'}
  </p>
);

export function UnknownPage() {
  useTitle('Nothing is here');
  return (
    <section className="problem" role="alert">
      <h1>Nothing is here</h1>
      <p>
        The address may be misspelled, or what was here is gone. <Link to="/">See what there is</Link>.
      </p>
    </section>
  );
}

interface Context {
  /** The raw address: the router removes what no page understands. */
  readonly opened: Readonly<Record<string, unknown>>;
}

export const root = createRootRouteWithContext<Context>()({
  component: Frame,
  errorComponent: ProblemPage,
  notFoundComponent: UnknownPage,
});
