import type { ReactNode } from 'react';

/** Something that is not there: which, in one sentence, and where to go on. */
export function Missing({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="missing" role="alert">
      <h1>{title}</h1>
      {children}
    </section>
  );
}
