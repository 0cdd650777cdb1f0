// The texts of a manifest that stand for something in the repository that it is installed in: names, which may hold
// <org-name> and <repo-name>, and addresses.
import type { ManifestProblem } from './component.ts';
import type { Manifest, ManifestSubscription } from './manifest.ts';
import { CREDENTIAL_SET_NAME, SHAPE_NAME, SUBSCRIPTION_NAME } from './names.ts';

/** The address is given by the setup endpoint, with this path. */
const SETUP_SUPPLIED = /^\{setup-supplied:\/[^\s?#{}<>\\]*\}$/;
const PLACEHOLDER = /<[^<>]*>|\{[^{}]*\}/;
const ORIGIN = /^https?:\/\/[^/?#<>{}]+(?=[/?#]|$)/i;

const problem = (path: string, message: string): ManifestProblem => ({ path, message });

/** As it would be in some repository. */
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
        what: 'the name of a shape: a letter, then letters, digits, _, - and .',
      }),
    ),
    ...credentials.flatMap(({ name }, at) =>
      formProblem(name, `credentials.${at}.name`, {
        form: CREDENTIAL_SET_NAME,
        what: `the name of a credential set: ${PLAIN}`,
      }),
    ),
    ...subscriptions.flatMap(({ name }, at) =>
      formProblem(name, `subscriptions.${at}.name`, {
        form: SUBSCRIPTION_NAME,
        what: `the name of a subscription: ${PLAIN}`,
      }),
    ),
    ...paths.flatMap(({ text, path }) => placeholderProblem(text, path)),
  ];
}

const PLAIN = '1 to 100 of A-Z, a-z, 0-9, ., _ and -';

/** Of what a component may read or write: everything else is a glob. */
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
  return [problem(path, `${found} stands for nothing here: only <org-name> and <repo-name> do`)];
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
    return [problem(path, 'expected an address, or {setup-supplied:/path} with a path that begins with /')];
  }
  if (provisioning === 'setup') return [];
  return [
    problem(path, 'only setup can supply an address: give the subscription "provisioning": "setup", or an address'),
  ];
}

/** Which of them may be reached is decided where it is installed. */
function addressProblem(url: string, path: string): ManifestProblem[] {
  const expected = problem(path, 'expected an absolute address, such as https://example.com/hook');
  if (!/^https?:\/\//i.test(url)) return [expected];
  if (!ORIGIN.test(url)) return [problem(path, 'placeholders stand behind the host alone: write the host out')];
  const placeholders = placeholderProblem(url, path);
  if (placeholders.length > 0) return placeholders;
  const text = sampled(url);
  if (!URL.canParse(text) || /[\s<>{}\\]/.test(text)) return [expected];
  const { username, password } = new URL(text);
  if (username === '' && password === '') return [];
  return [problem(path, 'the address holds a user name or password: leave them out, and use a credential set')];
}
