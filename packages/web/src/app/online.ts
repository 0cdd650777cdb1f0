import { onlineManager } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';

export function useOnline(): boolean {
  return useSyncExternalStore(
    (tell) => onlineManager.subscribe(tell),
    () => onlineManager.isOnline(),
  );
}

/** Until there is a network, if there is none. */
export async function backOnline(): Promise<void> {
  if (onlineManager.isOnline()) return;
  await new Promise<void>((back) => {
    const stop = onlineManager.subscribe((isOnline) => {
      if (!isOnline) return;
      stop();
      back();
    });
  });
}
