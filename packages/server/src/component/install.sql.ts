// What is installed in a repository, as it stands. What changes it: component-install-change.ts.
import type { Granted, SetupResult } from '@cairn/protocol/component';
import type { InstallState } from '@cairn/protocol/component-state';
import type { Reader } from '../engine/database.ts';
import {
  COMPONENT_COLUMNS,
  type ComponentRow,
  type FoundComponent,
  queryComponents,
  toComponent,
} from './component.sql.ts';

export interface FoundInstall {
  readonly repoId: number;
  readonly installId: string;
  readonly component: FoundComponent;
  readonly state: InstallState;
  readonly version: string;
  readonly manifestHash: string;
  /** As it was published, in JSON. */
  readonly manifestText: string;
  /** What who installed it approved. */
  readonly granted: Granted;
  readonly message: string | undefined;
  readonly setup: SetupResult | undefined;
  /** Which manifest the setup endpoint was last called for. */
  readonly setupManifestHash: string | undefined;
  readonly installedBy: string;
  readonly installedAt: number;
  readonly updatedAt: number;
}

interface InstallRow extends ComponentRow {
  readonly repo_id: number;
  readonly install_id: string;
  readonly state: InstallState;
  readonly version: string;
  readonly manifest_hash: string;
  readonly manifest: string;
  readonly granted: string;
  readonly message: string | null;
  readonly setup_status: SetupResult['status'] | null;
  readonly setup_http_status: number | null;
  readonly setup_message: string | null;
  readonly setup_manifest_hash: string | null;
  readonly installed_by: string;
  readonly installed_at: number;
  readonly changed_at: number;
}

const SELECT_INSTALL = `select i.repo_id, i.install_id, i.state, i.version, i.manifest_hash, v.manifest, i.granted, i.message,
    i.setup_status, i.setup_http_status, i.setup_message, i.setup_manifest_hash, i.installed_by, i.installed_at,
    i.updated_at as changed_at, ${COMPONENT_COLUMNS}
  from component_install i join component on component.id = i.component_id
  join organization on organization.id = component.organization_id
  join component_version v on v.component_id = i.component_id and v.version = i.version`;

/** One that was torn down is found too: its state says so. */
export async function findInstall(
  reader: Reader,
  { repoId, componentId }: { repoId: number; componentId: number },
): Promise<FoundInstall | undefined> {
  const sql = `${SELECT_INSTALL} where i.repo_id = $1 and i.component_id = $2`;
  const [row] = await queryComponents<InstallRow>(reader, sql, [repoId, componentId]);
  return row && toInstall(row);
}

/** By the id that its tokens carry. */
export async function findInstallById(
  reader: Reader,
  { repoId, installId }: { repoId: number; installId: string },
): Promise<FoundInstall | undefined> {
  const sql = `${SELECT_INSTALL} where i.repo_id = $1 and i.install_id = $2`;
  const [row] = await queryComponents<InstallRow>(reader, sql, [repoId, installId]);
  return row && toInstall(row);
}

export interface InstallPage {
  readonly repoId: number;
  /** The id of the last one of the page before, or an empty text. */
  readonly after: string;
  readonly limit: number;
}

/** Those that were not torn down. */
export async function listInstalls(reader: Reader, { repoId, after, limit }: InstallPage): Promise<FoundInstall[]> {
  const sql = `${SELECT_INSTALL} where i.repo_id = $1 and i.state <> 'uninstalled' and i.install_id > $2
    order by i.install_id limit $3`;
  return (await queryComponents<InstallRow>(reader, sql, [repoId, after, limit])).map(toInstall);
}

function toInstall(row: InstallRow): FoundInstall {
  return {
    repoId: row.repo_id,
    installId: row.install_id,
    component: toComponent(row),
    state: row.state,
    version: row.version,
    manifestHash: row.manifest_hash,
    manifestText: row.manifest,
    granted: JSON.parse(row.granted),
    message: row.message ?? undefined,
    setup: setupOf(row),
    setupManifestHash: row.setup_manifest_hash ?? undefined,
    installedBy: row.installed_by,
    installedAt: row.installed_at,
    updatedAt: row.changed_at,
  };
}

function setupOf({ setup_status, setup_http_status, setup_message }: InstallRow): SetupResult | undefined {
  if (setup_status === null) return undefined;
  return {
    status: setup_status,
    ...(setup_http_status !== null && { httpStatus: setup_http_status }),
    ...(setup_message !== null && { message: setup_message }),
  };
}
