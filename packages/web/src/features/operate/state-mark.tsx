// How something stands: with its word, and a colour that says the same.
const GOOD = ['active', 'succeeded', 'accepted', 'ready'];
const BAD = ['failed_terminal', 'dead_letter', 'failed', 'lost', 'revoked', 'unbound', 'degraded', 'error'];

/** Of a run that has failed, the design's own words: `failed` for what its receiver refused, `dead letter` for what nobody took. */
const WORDS: Readonly<Record<string, string>> = {
  failed_terminal: 'failed',
  dead_letter: 'dead letter',
  retry_wait: 'will be tried again',
  processing: 'receiver is working',
  retry: 'not taken',
  // Not the word of the button that takes a set from a subscription.
  unbound: 'waits for new keys',
};

export const stateWord = (state: string): string => WORDS[state] ?? state;

/** `isPast`: it stands otherwise by now, and is no reason for worry. */
export function StateMark({ state, isPast = false }: { state: string; isPast?: boolean }) {
  const tone = isPast ? '' : GOOD.includes(state) ? ' good' : BAD.includes(state) ? ' bad' : '';
  return <span className={`state${tone}`}>{stateWord(state)}</span>;
}
