// The placement of each table on Citus. Data of a repository is distributed and colocated on one machine. Principals
// and catalogs are reference tables on every machine, so that repository statements can join them. Everything else
// stays on the coordinator, such as the work queue, because `skip locked` does not work across machines.
// docs/decisions/0055-citus.md has the rules for statements.
export type Placement =
  | { readonly kind: 'distributed'; readonly by: 'repo_id' | 'target_repo_id' }
  | { readonly kind: 'reference' | 'coordinator' };

const distributed = { kind: 'distributed', by: 'repo_id' } as const;
const reference = { kind: 'reference' } as const;
const coordinator = { kind: 'coordinator' } as const;

/** Tables come before those that they refer to by a foreign key. A test compares the list with the schema. */
export const PLACEMENTS: Readonly<Record<string, Placement>> = {
  account: reference,
  organization: reference,
  repository: reference,
  member: reference,
  repository_role: reference,
  token: reference,
  token_scope: reference,
  invitation: reference,
  held_name: reference,
  component: reference,
  component_version: reference,
  repo_sequence: distributed,
  record: distributed,
  version: distributed,
  name: distributed,
  rename: distributed,
  commit: distributed,
  receipt: distributed,
  shape_field: distributed,
  field_index: distributed,
  // Incoming references are read with the target, so a commit that refers to another repository spans two machines.
  ref: { kind: 'distributed', by: 'target_repo_id' },
  search_document: distributed,
  search_state: distributed,
  export_build: distributed,
  export_job: distributed,
  checkpoint: distributed,
  import: distributed,
  import_entry: distributed,
  import_line: distributed,
  stream: distributed,
  stream_token: distributed,
  stream_refusal: distributed,
  credential_set: distributed,
  credential_key: distributed,
  credential_event: distributed,
  subscription: distributed,
  watch: distributed,
  outbox: distributed,
  run: distributed,
  attempt: distributed,
  notification: distributed,
  component_install: distributed,
  component_shape: distributed,
  work: coordinator,
  audit: coordinator,
  account_code: coordinator,
  external_identity: coordinator,
  session: coordinator,
  session_use: coordinator,
  oauth_item: coordinator,
  component_token: coordinator,
  token_use: coordinator,
  used_ticket: coordinator,
  rate_bucket: coordinator,
  server_fact: coordinator,
  access_epoch: coordinator,
  schema_migration: coordinator,
};

export const COORDINATOR_KEYS = [
  { table: 'account_code', column: 'account_id', target: 'account' },
  { table: 'audit', column: 'organization_id', target: 'organization' },
  { table: 'external_identity', column: 'account_id', target: 'account' },
  { table: 'session', column: 'account_id', target: 'account' },
] as const;

export const FIRST_DISTRIBUTED = 'repo_sequence';

export const HAS_CITUS = `select 1 as one where to_regclass('pg_dist_partition') is not null`;

export async function isDistributed(query: (sql: string) => Promise<unknown[]>): Promise<boolean> {
  if ((await query(HAS_CITUS)).length === 0) return false;
  const sql = `select 1 as one from pg_dist_partition where logicalrelid = to_regclass('${FIRST_DISTRIBUTED}')`;
  return (await query(sql)).length > 0;
}

export const SERVER_APPLICATION = 'cairn';
