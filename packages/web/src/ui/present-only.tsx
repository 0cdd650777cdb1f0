import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useSight } from '../app/sight.ts';

export function PresentOnly({ children }: { children: ReactNode }) {
  const { at } = useSight();
  if (at === undefined) return children;
  return (
    <p>
      You look at sequence {at}, which stays as it is. To change something,{' '}
      <Link to="." search={({ at: _past, ...rest }) => rest}>
        go back to now
      </Link>
      .
    </p>
  );
}
