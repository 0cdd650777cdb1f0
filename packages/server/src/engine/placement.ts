// How the tables lie where PostgreSQL has the extension Citus. All that belongs to a repository lies on one machine, in
// tables that are distributed by it and stand together. What says who and what there is lies on every machine, in reference
// tables, so that statements of a repository find it beside them; it changes rarely, and never in a commit. The rest stays on the
// coordinator: the queue of work, which machines could not share (`skip locked` does not reach over them), and what no
// statement of a repository looks at. docs/decisions/0055-citus.md has the rules that follow for statements.
export type Placement =
  | { readonly kind: 'distributed'; readonly by: 'repo_id' | 'target_repo_id' }
  | { readonly kind: 'reference' | 'coordinator' };

const distributed = { kind: 'distributed', by: 'repo_id' } as const;
const reference = { kind: 'reference' } as const;
const coordinator = { kind: 'coordinator' } as const;

/** Every table. A test compares it with the schema. Those that others refer to by a foreign key come before them. */
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
  // The others stand beside it.
  repo_sequence: distributed,
  record: distributed,
  version: distributed,
  name: distributed,
  rename: distributed,
  commit: distributed,
  receipt: distributed,
  shape_field: distributed,
  field_index: distributed,
  // Beside what is referred to: who asks is there, and whoever refers to another repository commits on two machines.
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
  schema_migration: coordinator,
};

/** What stays on the coordinator and refers to a reference table. A test compares it with the schema. */
export const COORDINATOR_KEYS = [
  { table: 'account_code', column: 'account_id', target: 'account' },
  { table: 'audit', column: 'organization_id', target: 'organization' },
  { table: 'external_identity', column: 'account_id', target: 'account' },
  { table: 'session', column: 'account_id', target: 'account' },
] as const;

/** The table that the other distributed ones stand beside. */
export const FIRST_DISTRIBUTED = 'repo_sequence';

type Query = (sql: string) => Promise<unknown[]>;

export const HAS_CITUS = `select 1 as one where to_regclass('pg_dist_partition') is not null`;

/** Whether repositories lie on several machines, or may. */
export async function isDistributed(query: Query): Promise<boolean> {
  if ((await query(HAS_CITUS)).length === 0) return false;
  const sql = `select 1 as one from pg_dist_partition where logicalrelid = to_regclass('${FIRST_DISTRIBUTED}')`;
  return (await query(sql)).length > 0;
}

/** What the connections of servers call themselves. */
export const SERVER_APPLICATION = 'cairn';
