// Consistency between the parts of a manifest: a referenced name exists, is unique, and is made before it is needed.
import type { ManifestProblem } from '../component.ts';
import type { Manifest, ManifestSubscription, MethodArgument } from '../manifest.ts';
import { CREDENTIAL_SET_NAME, SHAPE_NAME, SUBSCRIPTION_NAME } from '../names.ts';
import type { SubscriptionFilter } from '../subscription.ts';

const problem = (path: string, message: string): ManifestProblem => ({ path, message });
const undeclared = (name: string, list: string) => `${JSON.stringify(name)} is not among ${list}; declare it there`;
const late = (name: string) =>
  `setup creates ${JSON.stringify(name)} after the subscription; let setup create both or neither`;

export function referenceProblems(manifest: Manifest): ManifestProblem[] {
  return [
    ...duplicateProblems(manifest),
    ...manifest.subscriptions.flatMap((subscription, at) => subscriptionProblems(manifest, subscription, at)),
    ...seedProblems(manifest),
    ...healthProblems(manifest),
    ...signingProblems(manifest),
  ];
}

export function duplicateProblems({ shapes, credentials, subscriptions, seeds, cli }: Manifest): ManifestProblem[] {
  const named = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);
  return [
    ...repeated(named(shapes), (at) => `shapes.${at}.name`),
    ...repeated(named(credentials), (at) => `credentials.${at}.name`),
    ...credentials.flatMap(({ requiredKeys }, set) =>
      repeated(
        requiredKeys.map(({ key }) => key),
        (at) => `credentials.${set}.requiredKeys.${at}.key`,
      ),
    ),
    ...repeated(named(subscriptions), (at) => `subscriptions.${at}.name`),
    ...repeated(seeds.map(seedName), (at) => `seeds.${at}.name`),
    ...repeated(named(cli?.methods ?? []), (at) => `cli.methods.${at}.name`),
  ];
}

function repeated(names: readonly string[], pathAt: (at: number) => string): ManifestProblem[] {
  const seen = new Set<string>();
  return names.flatMap((name, at) => {
    if (seen.has(name)) return [problem(pathAt(at), `${JSON.stringify(name)} appears twice; choose another name`)];
    seen.add(name);
    return [];
  });
}

function seedName({ shape, name }: { readonly shape: string; readonly name: string }): string {
  return `${shape}/${name}`;
}

function subscriptionProblems(manifest: Manifest, subscription: ManifestSubscription, at: number): ManifestProblem[] {
  const path = `subscriptions.${at}`;
  return [
    ...triggerProblems(subscription, `${path}.trigger`),
    ...credentialProblems(manifest, subscription, `${path}.credentials`),
    ...unmadeShapeProblems(manifest, subscription, `${path}.trigger`),
  ];
}

function triggerProblems({ trigger }: ManifestSubscription, path: string): ManifestProblem[] {
  const { shape, filter, event } = trigger;
  if (event !== undefined && (shape !== undefined || filter !== undefined)) {
    return [problem(`${path}.event`, 'an event excludes shape and filter; remove the event, or the others')];
  }
  if (shape !== undefined || filter !== undefined || event !== undefined) return [];
  return [problem(path, 'expected a shape, a filter or an event')];
}

function credentialProblems(
  { credentials }: Manifest,
  { credentials: named, provisioning }: ManifestSubscription,
  path: string,
): ManifestProblem[] {
  return named.flatMap((name) => {
    const set = credentials.find((one) => one.name === name);
    if (set === undefined) {
      return [problem(path, undeclared(name, 'credentials'))];
    }
    if (set.provisioning === 'install' || provisioning === 'setup') return [];
    return [problem(path, late(name))];
  });
}

/** Users' shapes need no declaration, so only declared shapes can be checked. */
function unmadeShapeProblems(
  { shapes }: Manifest,
  { trigger, provisioning }: ManifestSubscription,
  path: string,
): ManifestProblem[] {
  if (provisioning === 'setup') return [];
  const left = new Set(shapes.filter((shape) => shape.provisioning === 'setup').map(({ name }) => name));
  const { shape, filter = {} } = trigger;
  const [inFilter] = shapesIn(filter).filter((name) => left.has(name));
  return [
    ...(shape !== undefined && left.has(shape) ? [problem(`${path}.shape`, late(shape))] : []),
    ...(inFilter === undefined ? [] : [problem(`${path}.filter`, late(inFilter))]),
  ];
}

function shapesIn({ shape = [], all = [], any = [], not }: SubscriptionFilter): string[] {
  const parts = [...all, ...any, ...(not === undefined ? [] : [not])];
  return [...(Array.isArray(shape) ? shape : [shape]), ...parts.flatMap(shapesIn)];
}

function seedProblems({ seeds, shapes }: Manifest): ManifestProblem[] {
  return seeds.flatMap(({ shape: name }, at) => {
    const shape = shapes.find((one) => one.name === name);
    if (shape === undefined) {
      return [problem(`seeds.${at}.shape`, undeclared(name, 'shapes'))];
    }
    if (shape.provisioning === 'install') return [];
    return [
      problem(
        `seeds.${at}.shape`,
        `setup creates ${JSON.stringify(name)} after the seeds; let setup write the seeds too`,
      ),
    ];
  });
}

function healthProblems({ health, shapes, seeds, subscriptions }: Manifest): ManifestProblem[] {
  const { requires } = health ?? {};
  if (requires === undefined) return [];
  const declared = {
    shapes: new Set(shapes.map(({ name }) => name)),
    things: new Set(seeds.map(seedName)),
    subscriptions: new Set(subscriptions.map(({ name }) => name)),
  };
  return (['shapes', 'things', 'subscriptions'] as const).flatMap((list) =>
    requires[list].flatMap((name, at) => {
      if (declared[list].has(name)) return [];
      const where = list === 'things' ? 'seeds, as Shape/name' : list;
      return [problem(`health.requires.${list}.${at}`, undeclared(name, where))];
    }),
  );
}

function signingProblems({ cli, credentials }: Manifest): ManifestProblem[] {
  return (cli?.methods ?? []).flatMap(({ credentialSet: name }, at) => {
    const path = `cli.methods.${at}.credentialSet`;
    const set = credentials.find((one) => one.name === name);
    if (set === undefined) {
      return [problem(path, undeclared(name, 'credentials'))];
    }
    if (set.provisioning === 'setup' || set.requiredKeys.some(({ key }) => key === 'CLI_SIGNING_SECRET')) return [];
    return [
      problem(
        path,
        `${JSON.stringify(name)} needs CLI_SIGNING_SECRET among its requiredKeys, because it signs the calls`,
      ),
    ];
  });
}

export function methodProblems({ cli }: Manifest): ManifestProblem[] {
  return (cli?.methods ?? []).flatMap(({ args }, method) => {
    const path = `cli.methods.${method}.args`;
    const names = args.map(({ name }) => name);
    return [
      ...repeated(names, (at) => `${path}.${at}.name`),
      ...args.flatMap((argument, at) =>
        [rangeProblems, choiceProblems, defaultProblems].flatMap((find) => find(argument, `${path}.${at}`)),
      ),
    ];
  });
}

function rangeProblems({ type, min, max }: MethodArgument, path: string): ManifestProblem[] {
  const isNumber = type === 'number' || type === 'integer';
  const bounds = Object.entries({ min, max }).filter(([, bound]) => bound !== undefined);
  if (!isNumber) {
    return bounds.map(([key]) =>
      problem(`${path}.${key}`, `only numbers have a ${key}, but this is a ${type}; remove it`),
    );
  }
  if (min === undefined || max === undefined || min <= max) return [];
  return [problem(`${path}.min`, `expected at most the max, ${max}`)];
}

function choiceProblems(argument: MethodArgument, path: string): ManifestProblem[] {
  return (argument.enum ?? []).flatMap((choice, at) => {
    if (isOfType(argument, choice)) return [];
    return [problem(`${path}.enum.${at}`, `expected ${AN[argument.type]}, like the type of the argument`)];
  });
}

function defaultProblems(argument: MethodArgument, path: string): ManifestProblem[] {
  const { default: given, required, type } = argument;
  if (given === undefined) return [];
  const at = `${path}.default`;
  if (required) return [problem(at, 'a required argument cannot have a default; remove one of the two')];
  if (!isOfType(argument, given)) return [problem(at, `expected ${AN[type]}, like the type of the argument`)];
  const wrong = valueProblem(argument, given);
  return wrong === undefined ? [] : [problem(at, wrong)];
}

const AN = { string: 'a string', number: 'a number', integer: 'an integer', boolean: 'true or false' } as const;

function isOfType({ type }: MethodArgument, value: unknown): boolean {
  return type === 'integer' ? Number.isSafeInteger(value) : typeof value === type;
}

function valueProblem(
  { min, max, enum: choices }: MethodArgument,
  value: string | number | boolean,
): string | undefined {
  if (choices !== undefined && !choices.includes(value)) return `expected one of ${choices.join(', ')}`;
  if (min !== undefined && Number(value) < min) return `expected at least ${min}`;
  if (max !== undefined && Number(value) > max) return `expected at most ${max}`;
  return undefined;
}

/** The setup endpoint supplies the address, with this path. */
const SETUP_SUPPLIED = /^\{setup-supplied:\/[^\s?#{}<>\\]*\}$/;
const PLACEHOLDER = /<[^<>]*>|\{[^{}]*\}/;
const ORIGIN = /^https?:\/\/[^/?#<>{}]+(?=[/?#]|$)/i;

/** Replaces the placeholders with sample names. */
export function sampled(text: string): string {
  return text.replaceAll('<org-name>', 'org').replaceAll('<repo-name>', 'repo');
}

export function nameProblems({ shapes, credentials, subscriptions, runtimeAccess, cli }: Manifest): ManifestProblem[] {
  const { reads = [], writes = [] } = runtimeAccess ?? {};
  const shapeNames = [
    ...shapes.map(({ name }, at) => ({ name, path: `shapes.${at}.name` })),
    ...subscriptions.map(({ trigger }, at) => ({ name: trigger.shape, path: `subscriptions.${at}.trigger.shape` })),
    ...reads.filter(isShapeName).map((name) => ({ name, path: `runtimeAccess.reads.${reads.indexOf(name)}` })),
    ...writes.filter(isShapeName).map((name) => ({ name, path: `runtimeAccess.writes.${writes.indexOf(name)}` })),
  ];
  const paths = (cli?.methods ?? []).map(({ path = '' }, at) => ({ text: path, path: `cli.methods.${at}.path` }));
  return [
    ...shapeNames.flatMap(({ name, path }) =>
      formProblem(name, path, {
        form: SHAPE_NAME,
        what: 'a shape name: a letter, then letters, digits, _, - and .',
      }),
    ),
    ...credentials.flatMap(({ name }, at) =>
      formProblem(name, `credentials.${at}.name`, {
        form: CREDENTIAL_SET_NAME,
        what: `a credential set name: ${PLAIN}`,
      }),
    ),
    ...subscriptions.flatMap(({ name }, at) =>
      formProblem(name, `subscriptions.${at}.name`, {
        form: SUBSCRIPTION_NAME,
        what: `a subscription name: ${PLAIN}`,
      }),
    ),
    ...paths.flatMap(({ text, path }) => placeholderProblem(text, path)),
  ];
}

const PLAIN = '1 to 100 of A-Z, a-z, 0-9, ., _ and -';

/** For entries of `reads` and `writes`: anything else is a glob. */
export function isShapeName(entry: string): boolean {
  return !/[/*]/.test(entry);
}

function formProblem(
  name: string | undefined,
  path: string,
  { form, what }: { form: RegExp; what: string },
): ManifestProblem[] {
  if (name === undefined) return [];
  const placeholders = placeholderProblem(name, path);
  if (placeholders.length > 0 || form.test(sampled(name))) return placeholders;
  return [problem(path, `expected ${what}`)];
}

function placeholderProblem(text: string, path: string): ManifestProblem[] {
  const [found] = PLACEHOLDER.exec(sampled(text)) ?? [];
  if (found === undefined) return [];
  return [problem(path, `${found} is not a placeholder here; use <org-name> or <repo-name>`)];
}

export function urlProblems({ subscriptions }: Manifest): ManifestProblem[] {
  return subscriptions.flatMap((subscription, at) => {
    const { fallbackWebhookUrl } = subscription;
    const fallback = `subscriptions.${at}.fallbackWebhookUrl`;
    return [
      ...webhookProblem(subscription, `subscriptions.${at}.webhookUrl`),
      ...(fallbackWebhookUrl === undefined ? [] : addressProblem(fallbackWebhookUrl, fallback)),
    ];
  });
}

function webhookProblem({ webhookUrl, provisioning }: ManifestSubscription, path: string): ManifestProblem[] {
  if (!webhookUrl.startsWith('{')) return addressProblem(webhookUrl, path);
  if (!SETUP_SUPPLIED.test(webhookUrl)) {
    return [problem(path, 'expected an address, or {setup-supplied:/path} with a path that starts with /')];
  }
  if (provisioning === 'setup') return [];
  return [
    problem(path, 'only setup can supply an address; give the subscription "provisioning": "setup", or an address'),
  ];
}

/** The host decides at installation which addresses may be reached. */
function addressProblem(url: string, path: string): ManifestProblem[] {
  const expected = problem(path, 'expected an absolute address, such as https://example.com/hook');
  if (!/^https?:\/\//i.test(url)) return [expected];
  if (!ORIGIN.test(url)) return [problem(path, 'placeholders are allowed only after the host; write the host in full')];
  const placeholders = placeholderProblem(url, path);
  if (placeholders.length > 0) return placeholders;
  const text = sampled(url);
  if (!URL.canParse(text) || /[\s<>{}\\]/.test(text)) return [expected];
  const { username, password } = new URL(text);
  if (username === '' && password === '') return [];
  return [problem(path, 'the address contains a user name or password; remove them, and use a credential set')];
}
