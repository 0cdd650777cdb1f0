// Which procedures there are, and whether each reads (query) or writes (mutation).
// A plain table without zod, because the SDK needs it at run time; procedures.ts adds inputs and outputs.
export const PROCEDURE_KINDS = {
  'auth.whoami': 'query',
  'repo.get': 'query',
  'diagnostics.capabilities': 'query',
} as const;

export type ProcedureName = keyof typeof PROCEDURE_KINDS;
