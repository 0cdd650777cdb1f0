// The name that something was asked for by, when its address was replaced by the one that it has now.
import { useLocation } from '@tanstack/react-router';

declare module '@tanstack/react-router' {
  interface HistoryState {
    askedAs?: string;
  }
}

export const useAskedAs = (): string | undefined => useLocation({ select: ({ state }) => state.askedAs });
