// What the parts of a manifest say of each other: that what they name is there, once, and made before it is needed.
import type { ManifestProblem } from './component.ts';
import type { Manifest, ManifestSubscription } from './manifest.ts';
import type { SubscriptionFilter } from './subscription.ts';

const problem = (path: string, message: string): ManifestProblem => ({ path, message });

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

/** Names that stand twice in a list, at their second place. */
export function repeated(names: readonly string[], pathAt: (at: number) => string): ManifestProblem[] {
  const seen = new Set<string>();
  return names.flatMap((name, at) => {
    if (seen.has(name)) return [problem(pathAt(at), `${JSON.stringify(name)} is there twice: choose another name`)];
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
    return [problem(`${path}.event`, 'an event stands alone: leave out shape and filter, or the event')];
  }
  if (shape !== undefined || filter !== undefined || event !== undefined) return [];
  return [problem(path, 'expected a shape, a filter or an event: say what it is for')];
}

function credentialProblems(
  { credentials }: Manifest,
  { credentials: named, provisioning }: ManifestSubscription,
  path: string,
): ManifestProblem[] {
  return named.flatMap((name) => {
    const set = credentials.find((one) => one.name === name);
    if (set === undefined) {
      return [problem(path, `there is no ${JSON.stringify(name)} among credentials: declare it there`)];
    }
    if (set.provisioning === 'install' || provisioning === 'setup') return [];
    return [
      problem(path, `setup makes ${JSON.stringify(name)}, after the subscription: leave both to setup, or neither`),
    ];
  });
}

/** Shapes of the user's need not be declared, so that only those can be judged that are. */
function unmadeShapeProblems(
  { shapes }: Manifest,
  { trigger, provisioning }: ManifestSubscription,
  path: string,
): ManifestProblem[] {
  if (provisioning === 'setup') return [];
  const left = new Set(shapes.filter((shape) => shape.provisioning === 'setup').map(({ name }) => name));
  const late = (name: string) =>
    `setup makes ${JSON.stringify(name)}, after the subscription: leave both to setup, or neither`;
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
      return [problem(`seeds.${at}.shape`, `there is no ${JSON.stringify(name)} among shapes: declare it there`)];
    }
    if (shape.provisioning === 'install') return [];
    return [
      problem(`seeds.${at}.shape`, `setup makes ${JSON.stringify(name)}, after the seeds: let setup write them too`),
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
      return [
        problem(
          `health.requires.${list}.${at}`,
          `there is no ${JSON.stringify(name)} among ${where}: declare it there`,
        ),
      ];
    }),
  );
}

function signingProblems({ cli, credentials }: Manifest): ManifestProblem[] {
  return (cli?.methods ?? []).flatMap(({ credentialSet: name }, at) => {
    const path = `cli.methods.${at}.credentialSet`;
    const set = credentials.find((one) => one.name === name);
    if (set === undefined) {
      return [problem(path, `there is no ${JSON.stringify(name)} among credentials: declare it there`)];
    }
    if (set.provisioning === 'setup' || set.requiredKeys.some(({ key }) => key === 'CLI_SIGNING_SECRET')) return [];
    return [
      problem(
        path,
        `${JSON.stringify(name)} must have CLI_SIGNING_SECRET among its requiredKeys: calls are signed with it`,
      ),
    ];
  });
}
