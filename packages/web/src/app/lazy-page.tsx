// The script of a page is loaded when the page is opened. Where it does not come, the router would load everything anew, and
// what is not committed would be lost: so it is waited for as long as there is no network, and otherwise that is said.
import { onlineManager } from '@tanstack/react-query';
import { lazyRouteComponent } from '@tanstack/react-router';
import { backOnline, useOnline } from './online.ts';

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

export function PendingPage() {
  return (
    <p className="waiting" role="status">
      {useOnline() ? 'Loading the page…' : 'You are offline. This goes on when you are back.'}
    </p>
  );
}
