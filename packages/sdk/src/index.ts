// Everything that users of the SDK import. Runs on Node, Bun, Deno and in browsers: fetch only.

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
export type { CommitRecord, CommitResult, OperationResult } from '@cairn/protocol/commit';
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
  Member,
  MemberResult,
  PermissionAnswer,
  Person,
  RepositoryRoleHolder,
  RepositoryRoleResult,
} from '@cairn/protocol/member';
export type { Operation } from '@cairn/protocol/operation';
export type { AuditItem, Organization } from '@cairn/protocol/organization';
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
  WhereOp,
  WherePredicate,
} from '@cairn/protocol/read';
export type { RecordItem, ShapeItem } from '@cairn/protocol/record';
export type { Repository, RepositoryDeletion } from '@cairn/protocol/repository';
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
} from '@cairn/protocol/vocabulary';
export type { AccessSurface } from './access.ts';
export {
  type AcceptedInvitation,
  type AcceptInvitation,
  acceptInvitation,
  type ChangePassword,
  changePassword,
  type ResetPassword,
  resetPassword,
} from './account.ts';
export type { ActionSurface, ListNotifications, ListRuns } from './action.ts';
export type { AuditSurface, ListAudit } from './audit.ts';
export type { AuthSurface, EndAllSessions, ListSessions } from './auth.ts';
export type { GetToken } from './caller.ts';
export { CairnClient } from './client.ts';
export type { CommitSurface, LogCommits, SubmitCommit } from './commit.ts';
export {
  type CollectionOptions,
  CommitBuilder,
  type CommitOptions,
  type DataFor,
  type RetractOptions,
} from './commit-builder.ts';
export type {
  ComponentSurface,
  ComponentTeardown,
  InstallComponent,
  ListInstalls,
  ListRegistry,
  MethodArguments,
  PublishComponent,
  RegisterComponent,
  SetupCall,
  ViewComponent,
} from './component.ts';
export type {
  CreateCredentialSet,
  CredentialSurface,
  ListCredentialEvents,
  ListCredentialSets,
} from './credential.ts';
export {
  type AddOptions,
  type AnyShape,
  type ChangeOptions,
  type DataOf,
  type DefinedShape,
  defineShape,
  type InputOf,
  type PathOf,
  type SomeDataOf,
  type Wref,
} from './define-shape.ts';
export type { DiagnosticsSurface } from './diagnostics.ts';
export { eachItem } from './each-item.ts';
export type { ExportSurface } from './export.ts';
export type { DownloadOptions, ExportedFile, ExportProgress, ExportToFile } from './export-file.ts';
export type { MintExport } from './export-job.ts';
export type { ExportOptions, ExportPart, ExportPosition, ExportRange } from './export-part.ts';
export type { ExportBytes } from './export-reader.ts';
export { ExportStream } from './export-stream.ts';
export type { HomeName } from './home.ts';
export type { AbortImport, AppendImport, ImportSurface } from './import.ts';
export type { ImportedRepository, ImportOptions, ImportProgress } from './import-rows.ts';
export { List } from './list.ts';
export type { LiveSurface } from './live.ts';
export { type LiveOptions, LiveStream, type OnChange } from './live-stream.ts';
export type {
  CreateOrganization,
  ListMembers,
  ListOrganizations,
  OrgSurface,
  RenameOrganization,
  UpdateOrganization,
} from './org.ts';
export type { PersonName } from './person.ts';
export type {
  ConfigureRepository,
  CreateRepository,
  GetContent,
  ListRepositories,
  ListRoles,
  ReadRepository,
  RenameRepository,
  RepoSurface,
  SetContent,
  SetRepositoryVisibility,
  TransferRepository,
  UpdateRepository,
} from './repo.ts';
export type { Bound } from './repo-bound.ts';
export type { CreateCheckpoint, ListCheckpoints, RepoCopySurface } from './repo-copy.ts';
export type { RepoHandle } from './repo-handle.ts';
export type { RepoShapes } from './repo-shapes.ts';
export type { RepoStreamSurface } from './repo-stream.ts';
export type {
  AnyWhere,
  CheckedWhere,
  Filtered,
  Found,
  FoundData,
  FoundPage,
  PathFilter,
  RecordFor,
  RepoThings,
  ShapeFilter,
  Typed,
  WhereFilter,
} from './repo-things.ts';
export { isRetryable, type RetryOptions } from './retry.ts';
export {
  type RefreshSession,
  type RenewSession,
  refreshingToken,
  refreshSession,
  type SessionTokens,
} from './session-token.ts';
export { type ServerSetup, type SetUpServer, setUpServer } from './setup.ts';
export type {
  CreateShape,
  GetShape,
  ListShapes,
  RenameShape,
  RetractShape,
  ReviseShape,
  ShapeHistory,
  ShapeSurface,
} from './shape.ts';
export type { FieldValue, PartialData, ReadData, WriteData } from './shape-data.ts';
export type { CheckedFields, FieldDefinition, FieldTypeName, GivenFields, ShapeFields } from './shape-fields.ts';
export type { FieldCondition, FieldPath } from './shape-filter.ts';
export type { GetStreamStatus, StreamSurface } from './stream.ts';
export type {
  RefusedStreamLine,
  StreamCounts,
  StreamedLines,
  StreamOptions,
  StreamProgress,
} from './stream-options.ts';
export type { StreamItem, StreamLines, StreamSource } from './stream-piece.ts';
export type {
  CreateSubscription,
  ListSubscriptions,
  PreviewSubscription,
  RevealedSubscription,
  SubscriptionSurface,
  UpdateSubscription,
} from './subscription.ts';
export type {
  ChangesPage,
  GetThing,
  GetThings,
  RefsPage,
  RenameThing,
  ThingChanges,
  ThingDiff,
  ThingGraph,
  ThingHistory,
  ThingNames,
  ThingRefs,
  ThingSurface,
} from './thing.ts';
export type {
  AboutThing,
  CountThings,
  HeadThings,
  QueryThings,
  SearchThings,
  ThingListSurface,
} from './thing-list.ts';
export type { CreateToken, ListTokens, RotateToken, TokenSurface } from './token.ts';
export type { CallOptions, TransportOptions } from './transport.ts';
