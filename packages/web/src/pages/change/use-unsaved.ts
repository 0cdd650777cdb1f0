import { useBlocker } from '@tanstack/react-router';

const LEAVING = 'What you filled in here is not kept yet, and is lost when you leave this page. Leave it?';

/** Asks who would leave a form that was begun. What goes on to the draft passes by with `ignoreBlocker`. */
export function useUnsaved(isBegun: boolean): void {
  useBlocker({
    disabled: !isBegun,
    enableBeforeUnload: isBegun,
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname && !window.confirm(LEAVING),
  });
}
