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
  .regex(/^[0-9a-f]{64}$/, 'expected the manifestHash that resolve gave: 64 of 0-9 and a-f');

/** Fields of a component that all its versions share. */
const registration = {
  setupUrl: url.optional().describe('Called at each install and update.'),
  uninstallUrl: url.optional().describe('Called at each teardown.'),
  allowedCallbacks: z
    .array(url)
    .max(CALLBACKS_MAX)
    .optional()
    .describe('Further origins that the component may be called at, besides that of setupUrl.'),
  credentialSet: credentialSetName
    .optional()
    .describe("A set of the organization's own; calls of setupUrl and uninstallUrl are signed with it."),
  mintedTokens: z
    .array(z.enum(MINTED_TOKENS))
    .optional()
    .describe('Which tokens a call of setupUrl carries; by default those that the manifest has a use for.'),
  visibility: visibility.optional().describe('By default private: for members of the organization alone.'),
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
  version: componentVersion.optional().describe('By default the latest.'),
});

export const registryList = z
  .strictObject({
    orgName: organizationName.optional().describe('Only the components of this organization.'),
    q: z
      .string()
      .max(200)
      .optional()
      .describe('Only those that have all of these words, or parts of words, in their name, id or description.'),
    ...pageInput,
  })
  .prefault({});

export const registryItem = z.object({
  orgName: z.string(),
  name: z.string(),
  id: z.string().describe('As the manifest has it, such as com.acme.Thing.'),
  description: z.string().optional(),
  visibility,
  version: z.string().describe('The latest.'),
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
  setupOrigin: z.string().optional().describe('Where it is set up, without what may be secret: https://host/***.'),
  uninstallOrigin: z.string().optional(),
  allowedCallbacks: z.array(z.string()).describe('Origins.'),
  mintedTokens: z.array(z.enum(MINTED_TOKENS)),
  credentialSet: z.string().optional(),
  warnings: z.array(manifestProblem).describe('What the manifest holds that means nothing here.'),
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
    .describe('Without it the install stays `installing` until the setup-call route is asked.'),
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
  scopes: z.array(z.string()).describe('What who installs it must hold, and did.'),
  reads: z.array(z.string()),
  writes: z.array(z.string()),
});

/** The rights and resources that an installation gave to a component. */
export type Granted = z.infer<typeof granted>;

export const componentInstall = z.object({
  orgName: z.string(),
  repoName: z.string(),
  component: z.string().describe('As org/name.'),
  installId: z.string(),
  state: installState,
  version: z.string(),
  manifestHash: z.string(),
  granted,
  setup: setupResult.optional().describe('How the last call of the setup endpoint went.'),
  message: z.string().optional().describe('Of the state `error`: what was wrong.'),
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
  subject: z.string().optional().describe('What it is about: `shape Signal`, `subscription count`.'),
  message: z.string().describe('What to do.'),
  credentialSet: z.string().optional().describe('Where keys of one are not set: which.'),
  keys: z.array(z.string()).optional().describe('Which keys are not set.'),
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
  uninstall: setupResult.describe('How the call of the uninstall endpoint went; the install is ended either way.'),
});

export const componentExec = z.strictObject({
  ...repoAddress,
  component: componentRef,
  method: z.string().min(1).max(100),
  args: z.record(z.string(), z.unknown()).default({}),
});

export const execAnswer = z.object({
  status: z.int().describe("The component's own, from 200 to 299."),
  body: z.unknown().describe('JSON as such, anything else as text.'),
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
  reasons: z.array(z.string()).describe('Why it cannot be installed.'),
  needs: z.array(z.string()).describe('The scopes that installing it takes.'),
});

/** The effects of an installation, and any obstacles to it. */
export type Resolution = z.infer<typeof resolution>;
