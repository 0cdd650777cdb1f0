import { describe, expect, it } from 'vitest';
import { ENGINES, openTestStore } from '../../../../test/support/store.ts';
import { findServerFact } from './server-fact.ts';

describe.each(ENGINES)('the store on %s', (engine) => {
  it('reads what it wrote', async () => {
    const store = await openTestStore(engine);
    await store.write('setServerFact', { name: 'setup-code-hash', value: 'a' });
    expect(await findServerFact(store.database, 'setup-code-hash')).toBe('a');
  });
});
