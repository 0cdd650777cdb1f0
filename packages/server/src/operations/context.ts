// What every operation is given: where the data is, who asks, and which limits hold.
import type { Limits } from '@cairn/protocol/limits';
import type { Principal } from '../auth/principal.ts';
import type { Store } from '../store/store.ts';

export interface Context {
  readonly store: Store;
  readonly limits: Limits;
  readonly principal: Principal;
}
