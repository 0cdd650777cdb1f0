// The public API of the SDK. It needs only `fetch`, so it runs on Node, Bun, Deno and in browsers.

export type {
  Capabilities,
  MintedToken,
  RotatedToken,
  ScopeEntry,
  SessionKind,
  SessionRecord,
  TokenRecord,
  Whoami,
} from '@cairn/protocol/account';
export type {
  ActionAttempt,
  ActionNotification,
  ActionRun,
  CallbackAnswer,
  CallbackBody,
} from '@cairn/protocol/action';
export type { CommitRecord, CommitResult, Operation, OperationResult } from '@cairn/protocol/commit';
export type {
  Component,
  ComponentInstall,
  ComponentReport,
  ExecAnswer,
  Finding,
  Granted,
  ManifestProblem,
  RegistryItem,
  Resolution,
  SetupResult,
} from '@cairn/protocol/component';
export type {
  RepositoryContent,
  RepositoryDescription,
  RepositoryStats,
  ShapeDescription,
} from '@cairn/protocol/description';
export { CairnError, ERRORS, type ErrorCode, type ErrorFields } from '@cairn/protocol/errors';
export type {
  Checkpoint,
  ExportEnd,
  ExportHeader,
  ExportMinted,
  ExportRow,
  ExportStatus,
} from '@cairn/protocol/export';
export type {
  AuditItem,
  Member,
  MemberResult,
  Organization,
  PermissionAnswer,
  Person,
  Repository,
  RepositoryDeletion,
  RepositoryRoleHolder,
  RepositoryRoleResult,
} from '@cairn/protocol/organization';
export type { Page } from '@cairn/protocol/page';
export type {
  Difference,
  Graph,
  ListedRecord,
  NameItem,
  RecordChange,
  RecordCount,
  RecordDiff,
  RecordPage,
  ReferenceItem,
  Snippet,
  WherePredicate,
} from '@cairn/protocol/read';
export type { RecordItem, ShapeItem } from '@cairn/protocol/record';
export type { OrganizationRole, RepositoryRole, Scope } from '@cairn/protocol/scopes';
export type {
  LiveInvalidate,
  LiveReady,
  LiveRevoked,
  LiveTicket,
  RefusedLine,
  StreamStatus,
  UndeclaredField,
} from '@cairn/protocol/stream';
export type {
  CredentialEvent,
  CredentialSet,
  PreviewedOperation,
  Subscription,
  SubscriptionFilter,
  SubscriptionTest,
} from '@cairn/protocol/subscription';
export type {
  ContentName,
  DeliveryEvent,
  FindingCode,
  InstallState,
  Order,
  RunStatus,
  SubscriptionEvent,
  WhereOp,
} from '@cairn/protocol/vocabulary';
export * from './account.ts';
export * from './auth.ts';
export type { GetToken } from './caller.ts';
export * from './client.ts';
export * from './commit.ts';
export * from './component.ts';
export * from './define-shape.ts';
export {
  type ExportOptions,
  type ExportPart,
  type ExportPosition,
  type ExportRange,
  ExportStream,
  type ExportSurface,
  type MintExport,
} from './export.ts';
export type { DownloadOptions, ExportedFile, ExportProgress, ExportToFile } from './export-file.ts';
export type {
  AbortImport,
  AppendImport,
  ExportBytes,
  ImportedRepository,
  ImportOptions,
  ImportProgress,
  ImportSurface,
} from './import.ts';
export { eachItem, List } from './list.ts';
export * from './live-stream.ts';
export * from './org.ts';
export type {
  ConfigureRepository,
  CreateCheckpoint,
  CreateRepository,
  GetContent,
  ListCheckpoints,
  ListRepositories,
  ListRoles,
  ReadRepository,
  RenameRepository,
  RepoCopySurface,
  RepoStreamSurface,
  RepoSurface,
  SetContent,
  SetRepositoryVisibility,
  TransferRepository,
  UpdateRepository,
} from './repo.ts';
export type {
  AnyWhere,
  Bound,
  CheckedWhere,
  Filtered,
  Found,
  FoundData,
  FoundPage,
  PathFilter,
  RecordFor,
  RepoHandle,
  RepoShapes,
  RepoThings,
  ShapeFilter,
  Typed,
  WhereFilter,
} from './repo-handle.ts';
export { isRetryable, type RetryOptions } from './retry.ts';
export * from './session-token.ts';
export * from './shape.ts';
export type {
  CheckedFields,
  FieldDefinition,
  FieldTypeName,
  FieldValue,
  GivenFields,
  PartialData,
  ReadData,
  ShapeFields,
  WriteData,
} from './shape-fields.ts';
export type { FieldCondition, FieldPath } from './shape-filter.ts';
export type { StreamItem, StreamLines, StreamSource } from './stream/backlog.ts';
export * from './stream.ts';
export * from './subscription.ts';
export * from './thing.ts';
export type { CallOptions, TransportOptions } from './transport.ts';
