import type { ReactNode } from 'react';
import { CopyButton } from './copy-button.tsx';

/** A secret that cannot be seen again: it lives in the page alone, and goes with it. */
export function ShownOnce({ what, secret, children }: { what: string; secret: string; children: ReactNode }) {
  return (
    <div className="shown-once">
      <p>{children}</p>
      <p className="secret">
        <code>{secret}</code> <CopyButton text={secret} what={what} />
      </p>
    </div>
  );
}
