// Rules of the specification that no test verifies yet. Entries only ever leave this list.
import type { RequirementId } from './requirements.ts';

export const PENDING: readonly RequirementId[] = [];
