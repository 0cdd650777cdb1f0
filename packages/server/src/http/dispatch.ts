// Dispatches requests to handlers: path tree, time limits and error answers.
import type { RequestListener } from 'node:http';
import { type CairnError, fail } from '@cairn/protocol/errors';
import { arrive } from './arrival.ts';
import { answerError } from './error.ts';
import { ANSWERED, type Answered, type Deps, Exchange, type RouteHandler } from './exchange.ts';

export function listenerOn(deps: Deps, router: Router, unknown: Route): RequestListener {
  const { requestMs } = deps.settings.limits;
  const deadlines = new Deadlines(requestMs, (c) => void answerError(c, tooLate(c)));
  return (incoming, outgoing) => {
    const c = new Exchange(deps, incoming, outgoing);
    const found = router.find(c.path);
    const route = found?.route ?? unknown;
    c.route = route.pattern;
    if (found !== undefined) c.params = found.params;
    const handler = route.handlers.get(c.method === 'HEAD' ? 'GET' : c.method) ?? route.otherwise;
    const isLimited = !route.isLasting && !isLastingCall(c.path);
    if (isLimited) c.dueAt = c.startedAt + requestMs;
    const answering = serveAtOnce(c, route, handler);
    if (answering === ANSWERED) return;
    deadlines.begin(c);
    void finish(c, answering).finally(() => deadlines.end(c));
  };
}

/** Most requests are answered synchronously, without a promise or a time limit. */
function serveAtOnce(c: Exchange, route: Route, handler: RouteHandler): Answered | Promise<Answered> {
  try {
    const arriving = arrive(c, route.provesView);
    return arriving === undefined ? handler(c) : arriving.then(() => handler(c));
  } catch (error) {
    return Promise.reject(error);
  }
}

async function finish(c: Exchange, answering: Promise<Answered>): Promise<void> {
  try {
    await answering.catch((error: unknown) => answerError(c, error));
  } catch (err) {
    // Otherwise the client would wait forever, and the process would end.
    c.deps.log.error({ err, requestId: c.requestId }, 'A request failed.');
    c.outgoing.destroy();
  }
}

function isLastingCall(path: string): boolean {
  return path.startsWith('/trpc/') && /\b(import|component)\./.test(path);
}

export interface Route {
  readonly pattern: string;
  readonly handlers: ReadonlyMap<string, RouteHandler>;
  readonly otherwise: RouteHandler;
  /** May take any time, because it has limits of its own. */
  readonly isLasting: boolean;
  /** Its handlers prove by their own reads that the callers' view is current, or call `proveCaller`. */
  readonly provesView?: boolean;
}

interface Branch {
  readonly named: Map<string, Branch>;
  parameter?: Branch;
  route?: Route;
  names: readonly string[];
  isRest?: true;
}

interface FoundRoute {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

export class Router {
  readonly #root: Branch = { named: new Map(), names: [] };

  /** In a path, `:name` is one segment, and `*name` at the end is all that follow. */
  add(path: string, route: Route): void {
    let branch = this.#root;
    const names: string[] = [];
    for (const segment of path.slice(1).split('/')) {
      const isRest = segment.startsWith('*');
      if (isRest || segment.startsWith(':')) {
        names.push(segment.slice(1));
        branch.parameter ??= { named: new Map(), names: [] };
        branch = branch.parameter;
        if (isRest) branch.isRest = true;
      } else {
        const next: Branch = branch.named.get(segment) ?? { named: new Map(), names: [] };
        branch.named.set(segment, next);
        branch = next;
      }
    }
    branch.route = route;
    branch.names = names;
  }

  find(path: string): FoundRoute | undefined {
    const segments = path.slice(1).split('/');
    const values: string[] = [];
    const found = walk(this.#root, { segments, at: 0, values });
    if (found?.route === undefined) return undefined;
    const params: Record<string, string> = {};
    found.names.forEach((name, index) => {
      params[name] = decodeParameter(values[index] ?? '');
    });
    return { route: found.route, params };
  }
}

interface Step {
  readonly segments: readonly string[];
  readonly at: number;
  readonly values: string[];
}

function walk(branch: Branch, { segments, at, values }: Step): Branch | undefined {
  const segment = segments[at];
  if (segment === undefined) return branch.route === undefined ? undefined : branch;
  const named = branch.named.get(segment);
  const found = named && walk(named, { segments, at: at + 1, values });
  if (found !== undefined) return found;
  const { parameter } = branch;
  if (parameter === undefined || segment === '') return undefined;
  const isRest = parameter.isRest === true;
  values.push(isRest ? segments.slice(at).join('/') : segment);
  const deeper = walk(parameter, { segments, at: isRest ? segments.length : at + 1, values });
  if (deeper === undefined) values.pop();
  return deeper;
}

function decodeParameter(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const LOOKS_A_LIMIT = 20;
const EVERY_MS_MAX = 250;

/**
 * Limits the time of each request, because a frozen database never answers. One shared timer is cheaper than one each.
 */
export class Deadlines {
  readonly #everyMs: number;
  readonly #running = new Set<Exchange>();
  readonly #onLate: (c: Exchange) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number, onLate: (c: Exchange) => void) {
    this.#everyMs = Math.min(EVERY_MS_MAX, ms / LOOKS_A_LIMIT);
    this.#onLate = onLate;
  }

  begin(c: Exchange): void {
    this.#running.add(c);
    this.#timer ??= setInterval(() => this.#look(), this.#everyMs).unref();
  }

  end(c: Exchange): void {
    this.#running.delete(c);
  }

  #look(): void {
    const now = performance.now();
    for (const c of this.#running) {
      if (c.dueAt > now) continue;
      const { onLate } = c;
      c.onLate = undefined;
      c.dueAt = Number.POSITIVE_INFINITY;
      if (onLate !== undefined) onLate();
      else this.#onLate(c);
    }
    if (this.#running.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS'];

export function tooLate({ method }: Exchange): CairnError {
  const isUnknown = !SAFE_METHODS.includes(method);
  return fail('UNAVAILABLE', {
    message: isUnknown
      ? 'The request took too long, and its outcome is unknown. Send it again with the same submission id.'
      : 'The request took too long. Send it again.',
    ...(isUnknown && { details: { outcome: 'unknown' } }),
    retryAfter: 1,
  });
}
