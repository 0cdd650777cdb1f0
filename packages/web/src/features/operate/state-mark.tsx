import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { toCredentialSet, toRun, toSubscription } from '../../app/links.ts';
import type { Home } from '../../app/sight.ts';

const GOOD = ['active', 'succeeded', 'accepted', 'ready'];
const BAD = ['failed_terminal', 'dead_letter', 'failed', 'lost', 'revoked', 'unbound', 'degraded', 'error'];

/** Terms for failed runs. */
const WORDS: Readonly<Record<string, string>> = {
  failed_terminal: 'failed',
  dead_letter: 'dead letter',
  retry_wait: 'will be tried again',
  processing: 'receiver is working',
  retry: 'not taken',
  // "Unbound" is also what the Unbind button does.
  unbound: 'waits for new keys',
};

export const stateWord = (state: string): string => WORDS[state] ?? state;

/** `isPast`: outdated, so shown without alarm. */
export function StateMark({ state, isPast = false }: { state: string; isPast?: boolean }) {
  const tone = isPast ? '' : GOOD.includes(state) ? ' good' : BAD.includes(state) ? ' bad' : '';
  return <span className={`state${tone}`}>{stateWord(state)}</span>;
}

interface HomeLinkProps {
  readonly home: Home;
  readonly name: string;
  readonly children?: ReactNode;
}

export const SubscriptionLink = ({ home, name, children = name }: HomeLinkProps) => (
  <Link {...toSubscription(home, name)}>{children}</Link>
);

export const CredentialSetLink = ({ home, name, children = name }: HomeLinkProps) => (
  <Link {...toCredentialSet(home, name)}>{children}</Link>
);

export const RunLink = ({ home, runId, children }: { home: Home; runId: string; children: ReactNode }) => (
  <Link {...toRun(home, runId)}>{children}</Link>
);
