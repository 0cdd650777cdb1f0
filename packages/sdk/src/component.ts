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

/** Options of `component.register`. */
export type RegisterComponent = Omit<ProcedureInput<'component.register'>, InstallAddress> & CallOptions;
/** Options of `component.publish`. */
export type PublishComponent = Omit<ProcedureInput<'component.publish'>, InstallAddress> & CallOptions;
/** Options of `component.registry`. */
export type ListRegistry = ProcedureInput<'component.registry'> & CallOptions;
/** Options of `component.view`, such as the version to show. */
export type ViewComponent = Omit<ProcedureInput<'component.view'>, InstallAddress> & CallOptions;
/** Options of `component.install` and `component.update`. */
export type InstallComponent = Omit<ProcedureInput<'component.install'>, InstallAddress> & CallOptions;
/** Options of `component.list`. */
export type ListInstalls = Omit<ProcedureInput<'component.list'>, InstallAddress> & CallOptions;
/** Result of `component.teardown`. */
export type ComponentTeardown = ProcedureOutput<'component.teardown'>;

/** Arguments of a method, by name. */
export type MethodArguments = Readonly<Record<string, unknown>>;

/** Input of `component.setupCall`. */
export interface SetupCall {
  /** Repository in which the component is installed, as `org/repo`. */
  readonly installRepo: string;
  /** The `installId` from `resolve`. */
  readonly installId: string;
  /** The `manifestHash` from `resolve`. If a newer version was published since, the call is refused with 409. */
  readonly expectedManifestHash: string;
}

/**
 * Components: the registry of an organization, and the components installed in a repository. Components are named
 * `org/name`.
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
  /** Registers a component in an organization, with its first version. */
  register(orgName: string, name: string, options: RegisterComponent): Promise<Component>;
  /** Publishes a new, immutable version. Registration fields that are left out keep their values. */
  publish(orgName: string, name: string, options: PublishComponent): Promise<Component>;
  /** Components that the caller can install. */
  registry(options?: ListRegistry): List<RegistryItem>;
  /** One component with its manifest and its versions. By default, it is shown at its latest version. */
  view(orgName: string, name: string, options?: ViewComponent): Promise<Component>;
  /** Removes a component from the registry. Existing installs remain and can be torn down. */
  unregister(orgName: string, name: string, options?: CallOptions): Promise<RegistryItem>;
  /** Previews an install: the manifest, the required scopes, and any obstacles. */
  resolve(orgName: string, name: string, installRepo: string, options?: CallOptions): Promise<Resolution>;
  /** Makes the server call the setup endpoint. A failed call is returned as a result, not thrown. */
  setupCall(orgName: string, name: string, call: SetupCall, options?: CallOptions): Promise<SetupResult>;
  /** Installs the latest version in a repository. If the component is installed already, restores what is missing. */
  install(orgName: string, repoName: string, component: string, options?: InstallComponent): Promise<ComponentReport>;
  /** Components installed in a repository. */
  list(orgName: string, repoName: string, options?: ListInstalls): List<ComponentInstall>;
  /** One installed component. */
  get(orgName: string, repoName: string, component: string, options?: CallOptions): Promise<ComponentInstall>;
  /** Reports missing or broken parts of an install, and how to fix them. */
  doctor(orgName: string, repoName: string, component: string, options?: CallOptions): Promise<ComponentReport>;
  /** Updates an install to the latest version. Nothing is deleted. */
  update(orgName: string, repoName: string, component: string, options?: InstallComponent): Promise<ComponentReport>;
  /** Pauses a component: its tokens are refused, and its subscriptions and methods stop. */
  pause(orgName: string, repoName: string, component: string, options?: CallOptions): Promise<ComponentInstall>;
  /** Resumes a paused component. */
  resume(orgName: string, repoName: string, component: string, options?: CallOptions): Promise<ComponentInstall>;
  /** Ends the component's tokens and subscriptions. The data it wrote remains. */
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
