// The procedure table: input and output of each procedure, grouped by noun. The router, the SDK's types, the reference
// pages and the MCP tools are all made from it.
import type { z } from 'zod';
import { ACCOUNT_PROCEDURES, AUDIT_PROCEDURES, ORG_PROCEDURES, TOKEN_PROCEDURES } from './procedure/account.ts';
import { ACTION_PROCEDURES, COMPONENT_PROCEDURES } from './procedure/action.ts';
import { RECORD_PROCEDURES } from './procedure/record.ts';
import { EXPORT_PROCEDURES, REPO_PROCEDURES, STREAM_PROCEDURES } from './procedure/repo.ts';
import type { ProcedureName } from './procedure-kinds.ts';
import type { ProcedureRow } from './row.ts';

export const PROCEDURES = {
  ...ACCOUNT_PROCEDURES,
  ...ORG_PROCEDURES,
  ...REPO_PROCEDURES,
  ...RECORD_PROCEDURES,
  ...EXPORT_PROCEDURES,
  ...STREAM_PROCEDURES,
  ...ACTION_PROCEDURES,
  ...COMPONENT_PROCEDURES,
  ...AUDIT_PROCEDURES,
  ...TOKEN_PROCEDURES,
} as const satisfies Record<string, ProcedureRow>;

export type ProcedureInput<Name extends ProcedureName> = z.input<(typeof PROCEDURES)[Name]['input']>;
/** Input with its defaults filled in, as operations receive it. */
export type ProcedureArguments<Name extends ProcedureName> = z.output<(typeof PROCEDURES)[Name]['input']>;
export type ProcedureOutput<Name extends ProcedureName> = z.output<(typeof PROCEDURES)[Name]['output']>;

export const PROCEDURE_NAMES = Object.keys(PROCEDURES) as ProcedureName[];
