// Rules of the specification that no test verifies yet. Entries only ever leave this list.
import type { RequirementId } from './requirements.ts';

export const PENDING: readonly RequirementId[] = [
  '4.4/mcp-mounted',
  '4.4/mcp-anonymous-tool',
  '4.4/mcp-guarded-anonymous',
  '4.4/mcp-guarded-token',
  '4.4/mcp-private-repo',
  '4.6/subscriptions-mcp',
];
