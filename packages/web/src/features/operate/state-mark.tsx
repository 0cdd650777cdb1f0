const GOOD = ['active', 'succeeded', 'accepted', 'ready'];
const BAD = ['failed_terminal', 'dead_letter', 'failed', 'lost', 'revoked', 'unbound', 'degraded', 'error'];

const WORDS: Readonly<Record<string, string>> = {
  failed_terminal: 'failed',
  dead_letter: 'dead letter',
  retry_wait: 'waiting to retry',
  processing: 'in progress',
  retry: 'attempt failed',
  // "Unbound" is also what the Unbind button does.
  unbound: 'blocked until its keys are set',
};

export const stateWord = (state: string): string => WORDS[state] ?? state;

export function StateMark({ state, isPast = false }: { state: string; isPast?: boolean }) {
  const tone = isPast ? '' : GOOD.includes(state) ? ' good' : BAD.includes(state) ? ' bad' : '';
  return <span className={`state${tone}`}>{stateWord(state)}</span>;
}
