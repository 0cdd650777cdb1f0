import { useState } from 'react';

/** What was said against a value, as long as it stands: it is not said of another. */
export function useTold(problem: string | undefined, value: string): string | undefined {
  const [told, setTold] = useState({ problem, value });
  if (told.problem !== problem) setTold({ problem, value });
  return told.value === value ? problem : undefined;
}
