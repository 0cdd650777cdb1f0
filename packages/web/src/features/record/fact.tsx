import type { ReactNode } from 'react';

interface FactProps {
  readonly name: string;
  /** What the name means, where that is not plain. */
  readonly hint?: string;
  readonly children: ReactNode;
}

/** One line of what is known of a record. */
export function Fact({ name, hint, children }: FactProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
      {hint !== undefined && <dd className="hint">{hint}</dd>}
    </div>
  );
}
