import type {
  Component,
  ComponentInstall,
  ComponentReport,
  ExecAnswer,
  RegistryItem,
  Resolution,
  SetupResult,
} from '@cairn/protocol/component';
import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import type { List } from './list.ts';
import type { CallOptions } from './transport.ts';

type InstallAddress = 'orgName' | 'repoName' | 'name' | 'component';

/** What a component is registered with. */
export type RegisterComponent = Omit<ProcedureInput<'component.register'>, InstallAddress> & CallOptions;
/** What a new version of a component takes. */
export type PublishComponent = Omit<ProcedureInput<'component.publish'>, InstallAddress> & CallOptions;
/** What a list of the registry can be told. */
export type ListRegistry = ProcedureInput<'component.registry'> & CallOptions;
/** Which version of a component is shown. */
export type ViewComponent = Omit<ProcedureInput<'component.view'>, InstallAddress> & CallOptions;
/** What installing a component can be told. */
export type InstallComponent = Omit<ProcedureInput<'component.install'>, InstallAddress> & CallOptions;
/** What a list of installed components can be told. */
export type ListInstalls = Omit<ProcedureInput<'component.list'>, InstallAddress> & CallOptions;
/** What a teardown ended. */
export type ComponentTeardown = ProcedureOutput<'component.teardown'>;

/** The arguments of a method, by their names. */
export type MethodArguments = Readonly<Record<string, unknown>>;

/** What a call of the setup endpoint takes. */
export interface SetupCall {
  /** The repository that it is installed in, as `org/repo`. */
  readonly installRepo: string;
  /** As `resolve` gave it. */
  readonly installId: string;
  /** As `resolve` gave it. A version that was published since is not called: 409. */
  readonly expectedManifestHash: string;
}

/**
 * Components: the registry of an organization, and what is installed in a repository. A component is named as `org/name`.
 *
 * @example
 * await client.component.register('acme', 'word-count', { manifest, setupUrl: 'https://hooks.example.com/cairn/setup' });
 * const { state, findings } = await client.component.install('acme', 'world', 'acme/word-count');
 * await client.credential.setKeys('acme', 'world', 'word-count-keys', { CLI_SIGNING_SECRET: secret });
 * const { body } = await client.component.exec('acme', 'world', 'acme/word-count', 'count', { text: 'Two words' });
 * await client.component.publish('acme', 'word-count', { manifest: nextManifest });
 * await client.component.update('acme', 'world', 'acme/word-count');
 * await client.component.pause('acme', 'world', 'acme/word-count');
 * await client.component.resume('acme', 'world', 'acme/word-count');
 * const report = await client.component.doctor('acme', 'world', 'acme/word-count');
 * const { version } = await client.component.get('acme', 'world', 'acme/word-count');
 * for await (const { component } of client.component.list('acme', 'world')) console.log(component);
 * const { installId, manifestHash } = await client.component.resolve('acme', 'word-count', 'acme/world');
 * const call = { installRepo: 'acme/world', installId, expectedManifestHash: manifestHash };
 * const { status } = await client.component.setupCall('acme', 'word-count', call);
 * await client.component.teardown('acme', 'world', 'acme/word-count');
 * const { latestVersion } = await client.component.view('acme', 'word-count');
 * for await (const { name } of client.component.registry({ orgName: 'acme', q: 'count' })) console.log(name);
 * await client.component.unregister('acme', 'word-count');
 */
export interface ComponentSurface {
  /** Puts a component into the registry of an organization, with its first version. */
  register(orgName: string, name: string, options: RegisterComponent): Promise<Component>;
  /** A new version, which never changes afterwards. What is left out of the registration stays. */
  publish(orgName: string, name: string, options: PublishComponent): Promise<Component>;
  /** The components that the caller can install. */
  registry(options?: ListRegistry): List<RegistryItem>;
  /** One component with its manifest and its versions; by default the latest. */
  view(orgName: string, name: string, options?: ViewComponent): Promise<Component>;
  /** Where it is installed it stays, and can be torn down. */
  unregister(orgName: string, name: string, options?: CallOptions): Promise<RegistryItem>;
  /** What installing it would mean: the manifest, what it takes, and whether it can be. */
  resolve(orgName: string, name: string, installRepo: string, options?: CallOptions): Promise<Resolution>;
  /** Has the setup endpoint called; a call that fails is an answer too. */
  setupCall(orgName: string, name: string, call: SetupCall, options?: CallOptions): Promise<SetupResult>;
  /** The latest version, into a repository. Again, it brings back what is missing. */
  install(orgName: string, repoName: string, component: string, options?: InstallComponent): Promise<ComponentReport>;
  /** What is installed in a repository. */
  list(orgName: string, repoName: string, options?: ListInstalls): List<ComponentInstall>;
  /** One installed component. */
  get(orgName: string, repoName: string, component: string, options?: CallOptions): Promise<ComponentInstall>;
  /** What is missing or wrong, and what to do. */
  doctor(orgName: string, repoName: string, component: string, options?: CallOptions): Promise<ComponentReport>;
  /** To the latest version. Nothing is deleted. */
  update(orgName: string, repoName: string, component: string, options?: InstallComponent): Promise<ComponentReport>;
  /** Its tokens are refused, its subscriptions rest, its methods are not called. */
  pause(orgName: string, repoName: string, component: string, options?: CallOptions): Promise<ComponentInstall>;
  /** Takes back a pause. */
  resume(orgName: string, repoName: string, component: string, options?: CallOptions): Promise<ComponentInstall>;
  /** Ends its tokens and its subscriptions; what was written stays. */
  teardown(orgName: string, repoName: string, component: string, options?: CallOptions): Promise<ComponentTeardown>;
  /** Calls a method of an installed component. */
  exec(
    orgName: string,
    repoName: string,
    component: string,
    method: string,
    args?: MethodArguments,
    options?: CallOptions,
  ): Promise<ExecAnswer>;
}
