import type { ReactNode } from 'react';

interface ActButtonProps {
  readonly onAct: () => void;
  readonly isPending: boolean;
  readonly isSmall?: boolean;
  /** Said instead of what is on it, where that is not enough by itself. */
  readonly label?: string;
  readonly children: ReactNode;
}

/** A button that does something at once. While it is done, it does nothing, and keeps the keyboard. */
export function ActButton({ onAct, isPending, isSmall = false, label, children }: ActButtonProps) {
  return (
    <button
      type="button"
      className={isSmall ? 'small' : 'secondary'}
      aria-label={label}
      aria-disabled={isPending || undefined}
      onClick={() => {
        if (!isPending) onAct();
      }}
    >
      {children}
    </button>
  );
}
