// Components on the wire: the registry, and what is installed in a repository.
import { z } from 'zod';
import { componentName, componentVersion } from './manifest.ts';
import { orgAddress, organizationName, repoAddress, visibility } from './organization.ts';
import { pageInput, pageOf } from './page.ts';
import { credentialSetName } from './subscription.ts';
import { FINDINGS, type FindingCode, INSTALL_STATES, type InstallState, MINTED_TOKENS } from './vocabulary.ts';

const URL_CHARACTERS_MAX = 2_048;
const CALLBACKS_MAX = 20;

const url = z.string().min(1).max(URL_CHARACTERS_MAX);
/** A plain object: manifest.ts reads it, so that every problem is named with its place in the manifest. */
const manifestJson = z.record(z.string(), z.unknown()).describe('See /docs/component-manifest.json.');
const manifestHash = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'expected the manifestHash from resolve: 64 hexadecimal digits');

/** Fields of a component that all its versions share. */
const registration = {
  setupUrl: url.optional().describe('Called on each install and update.'),
  uninstallUrl: url.optional().describe('Called on each teardown.'),
  allowedCallbacks: z
    .array(url)
    .max(CALLBACKS_MAX)
    .optional()
    .describe('Origins where the component may be called, in addition to the origin of setupUrl.'),
  credentialSet: credentialSetName
    .optional()
    .describe('A credential set of the organization, which signs the calls of setupUrl and uninstallUrl.'),
  mintedTokens: z
    .array(z.enum(MINTED_TOKENS))
    .optional()
    .describe('Tokens that a call of setupUrl carries. By default those that the manifest needs.'),
  visibility: visibility.optional().describe('By default private: visible to members of the organization only.'),
};

export const componentRegistration = z.strictObject({
  ...orgAddress,
  name: componentName,
  manifest: manifestJson,
  ...registration,
});

/** A new version. Registration fields that are left out stay as they are. */
export const componentPublication = componentRegistration;

export const componentAddress = z.strictObject({ ...orgAddress, name: componentName });
export const componentView = z.strictObject({
  ...orgAddress,
  name: componentName,
  version: componentVersion.optional().describe('By default the latest version.'),
});

export const registryList = z
  .strictObject({
    orgName: organizationName.optional().describe('Only the components of this organization.'),
    q: z
      .string()
      .max(200)
      .optional()
      .describe('Only components with all of these words, or parts of words, in the name, id or description.'),
    ...pageInput,
  })
  .prefault({});

export const registryItem = z.object({
  orgName: z.string(),
  name: z.string(),
  id: z.string().describe('The id in the manifest, such as com.acme.Thing.'),
  description: z.string().optional(),
  visibility,
  version: z.string().describe('The latest version.'),
  manifestHash: z.string(),
  hasSetup: z.boolean(),
  createdBy: z.string(),
  createdAt: z.int(),
  updatedAt: z.int(),
});

/** A component as the registry lists it. */
export type RegistryItem = z.infer<typeof registryItem>;

export const registryPage = pageOf(registryItem);

const manifestProblem = z.object({ path: z.string(), message: z.string() });

/** A problem in a manifest, and its place. */
export type ManifestProblem = z.infer<typeof manifestProblem>;

export const component = registryItem.extend({
  version: z.string(),
  latestVersion: z.string(),
  manifest: manifestJson,
  versions: z.array(
    z.object({ version: z.string(), manifestHash: z.string(), publishedBy: z.string(), publishedAt: z.int() }),
  ),
  setupOrigin: z.string().optional().describe('The setup URL without its secret parts: https://host/***.'),
  uninstallOrigin: z.string().optional(),
  allowedCallbacks: z.array(z.string()).describe('Origins.'),
  mintedTokens: z.array(z.enum(MINTED_TOKENS)),
  credentialSet: z.string().optional(),
  warnings: z.array(manifestProblem).describe('Fields of the manifest that have no meaning here.'),
});

/** A component of the registry, with one version of its manifest. */
export type Component = z.infer<typeof component>;

const SLASHED_PAIR = /^[^/\s\p{Cc}\p{Cs}]+\/[^/\s\p{Cc}\p{Cs}]+$/u;

export const componentRef = z.string().max(140).regex(SLASHED_PAIR, 'expected a component as org/name');

export const installAddress = z.strictObject({ ...repoAddress, component: componentRef });
export const installList = z.strictObject({ ...repoAddress, ...pageInput });
export const installation = installAddress.extend({
  callSetup: z
    .boolean()
    .default(true)
    .describe('If false, the install stays `installing` until the setup-call route is called.'),
});

const installState = z.enum(Object.keys(INSTALL_STATES) as [InstallState, ...InstallState[]]);

const methodSummary = z.looseObject({ name: z.string(), method: z.string() });

export const setupResult = z.object({
  status: z.enum(['completed', 'skipped', 'failed']),
  httpStatus: z.int().optional(),
  message: z.string().optional(),
});

/** The outcome of a call to a component's setup endpoint. */
export type SetupResult = z.infer<typeof setupResult>;

const granted = z.object({
  scopes: z.array(z.string()).describe('Scopes that the installing account needed.'),
  reads: z.array(z.string()),
  writes: z.array(z.string()),
});

/** The rights and resources that an installation gave to a component. */
export type Granted = z.infer<typeof granted>;

export const componentInstall = z.object({
  orgName: z.string(),
  repoName: z.string(),
  component: z.string().describe('Written as org/name.'),
  installId: z.string(),
  state: installState,
  version: z.string(),
  manifestHash: z.string(),
  granted,
  setup: setupResult.optional().describe('The result of the last call of the setup endpoint.'),
  message: z.string().optional().describe('The reason for the state `error`.'),
  cli: z.looseObject({ description: z.string().optional(), methods: z.array(methodSummary) }).optional(),
  installedBy: z.string(),
  installedAt: z.int(),
  updatedAt: z.int(),
});

/** A component that is installed in a repository. */
export type ComponentInstall = z.infer<typeof componentInstall>;

export const installPage = pageOf(componentInstall);

const finding = z.object({
  code: z.enum(Object.keys(FINDINGS) as [FindingCode, ...FindingCode[]]),
  subject: z.string().optional().describe('The affected part, such as `shape Signal` or `subscription count`.'),
  message: z.string().describe('The action to take.'),
  credentialSet: z.string().optional().describe('The credential set with missing keys.'),
  keys: z.array(z.string()).optional().describe('The missing keys.'),
});

/** Something that is missing or wrong with an installed component, and the action to take. */
export type Finding = z.infer<typeof finding>;

export const componentReport = componentInstall.extend({
  latestVersion: z.string().optional(),
  findings: z.array(finding),
});

/** An installed component, and its findings. */
export type ComponentReport = z.infer<typeof componentReport>;

export const componentTeardown = componentInstall.extend({
  uninstall: setupResult.describe('The result of the uninstall call. The install ends in any case.'),
});

export const componentExec = z.strictObject({
  ...repoAddress,
  component: componentRef,
  method: z.string().min(1).max(100),
  args: z.record(z.string(), z.unknown()).default({}),
});

export const execAnswer = z.object({
  status: z.int().describe('The status that the component answered, from 200 to 299.'),
  body: z.unknown().describe('Parsed JSON, or any other body as text.'),
});

/** The answer of a component's method. */
export type ExecAnswer = z.infer<typeof execAnswer>;

const installRepo = z.string().max(140).regex(SLASHED_PAIR, 'expected a repository as org/repo');

export const resolveBody = z.strictObject({ installRepo });
export const setupCallBody = z.strictObject({
  installRepo,
  installId: z.string().min(1).max(100),
  expectedManifestHash: manifestHash,
});
export const cliBody = z.strictObject({ installRepo, args: z.record(z.string(), z.unknown()).default({}) });

export const resolution = z.object({
  manifest: manifestJson,
  manifestHash: z.string(),
  version: z.string(),
  hasSetup: z.boolean(),
  installId: z.string(),
  eligible: z.boolean(),
  reasons: z.array(z.string()).describe('The reasons why it cannot be installed.'),
  needs: z.array(z.string()).describe('The scopes that installing needs.'),
});

/** The effects of an installation, and any obstacles to it. */
export type Resolution = z.infer<typeof resolution>;
