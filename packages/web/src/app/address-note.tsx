import { useMatches, useRouteContext } from '@tanstack/react-router';
import { useState } from 'react';
import { Text } from '../ui/text.tsx';
import { leftOutOf } from './left-out.ts';

/** What the address says and is not understood: a link that was cut or mistyped shows something else than was meant. */
export function AddressNote() {
  const { opened } = useRouteContext({ from: '__root__' });
  // The outermost has what the address says, the innermost what the page made of it.
  const matches = useMatches();
  const understood = matches.at(-1)?.search ?? {};
  const here = `${matches.at(-1)?.pathname} ${JSON.stringify(understood)}`;
  const [first] = useState(here);
  const leftOut = leftOutOf(here === first ? opened : (matches.at(0)?.search ?? {}), understood);
  if (leftOut.length === 0) return null;
  return (
    <p className="quiet" role="status">
      Not understood in the address:{' '}
      {leftOut.map(({ said, instead }, index) => (
        <span key={said}>
          {index > 0 && ', '}
          <Text>{said}</Text> ({instead})
        </span>
      ))}
      .
    </p>
  );
}
