// Gives the server another secret, on its own machine. Whatever the old one has signed ends.

import { auditedByOperator } from '../access/audit.ts';
import type { Store } from '../store.ts';
import { seal, sealingKey, unseal } from './sealing.ts';
import { fingerprintOf } from './secret.ts';
import { listOperatorIds, listSealedValues } from './secret-rotation.sql.ts';

export interface RotatedSecret {
  /** How many values were sealed anew. */
  readonly credentialValues: number;
}

export async function rotateSecret(store: Store, { from, to }: { from: string; to: string }): Promise<RotatedSecret> {
  const { database } = store;
  const [before, after] = [sealingKey(from), sealingKey(to)];
  const sealed = await listSealedValues(database);
  const values = sealed.map((value) => ({
    ...value,
    sealedAnew: seal(after, value, unseal(before, value, value.value)),
  }));
  const operators = await listOperatorIds(database);
  const audit = auditedByOperator({
    action: 'admin.rotateSecret',
    target: 'server',
    details: { credentialValues: values.length },
    places: operators.map((accountId) => ({ accountId })),
  });
  await store.write('rotateSecret', { from: fingerprintOf(from), to: fingerprintOf(to), values }, audit);
  return { credentialValues: values.length };
}
