// Finds the route of a path: a tree of segments, in which names come before parameters.
import type { RouteHandler } from './exchange.ts';

export interface Route {
  /** As it stands in logs and metrics. */
  readonly pattern: string;
  readonly handlers: ReadonlyMap<string, RouteHandler>;
  /** For methods without a handler. */
  readonly otherwise: RouteHandler;
  /** May take any time, because it has limits of its own. */
  readonly isLasting: boolean;
}

interface Branch {
  readonly named: Map<string, Branch>;
  parameter?: Branch;
  route?: Route;
  /** Names of the parameters, in order. */
  names: readonly string[];
  /** Takes all segments that are left. */
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

/** Text that is no valid encoding stays as it is, and then names nothing. */
function decodeParameter(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
