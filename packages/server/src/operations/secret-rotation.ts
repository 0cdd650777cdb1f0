// Gives the server another secret, on its own machine. Whatever the old one has signed ends.
import { seal, sealingKey, unseal } from '../auth/sealing.ts';
import { fingerprintOf } from '../auth/secret.ts';
import { listOperatorIds, listSealedValues } from '../store/secret-rotation.ts';
import type { Store } from '../store/store.ts';
import { auditedByOperator } from './audit.ts';

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
