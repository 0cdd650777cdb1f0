// Decides what a token may see, directly from the design and without the server's code: which repositories, and which
// records.
import { ORGANIZATION_ROLES, type Scope } from '@cairn/protocol/scopes';
import type { WorldRecord, WorldRepository } from './record.ts';

export interface OracleEntry {
  /** An organization or a repository; everything if both are missing. */
  readonly org?: string | undefined;
  readonly repo?: WorldRepository | undefined;
  readonly permissions: readonly Scope[];
  readonly refs?: readonly string[] | undefined;
  /** By identity in one repository, by name in several. */
  readonly shapes?: readonly (WorldRecord | string)[] | undefined;
}

interface Called {
  readonly shapeName: string;
  readonly name: string;
}

const regexes = new Map<string, RegExp>();

export function matchesGlob(glob: string, name: string): boolean {
  let regex = regexes.get(glob);
  if (regex === undefined) {
    const source = glob
      .split(/(\*\*|\*)/)
      .map((part) => (part === '**' ? '.*' : part === '*' ? '[^/]*' : part.replaceAll(/[.+^$()[\]{}|?\\]/g, '\\$&')));
    regex = new RegExp(`^${source.join('')}$`, 's');
    regexes.set(glob, regex);
  }
  return regex.test(name);
}

/** True if the glob matches something longer than `beginning` that starts with it. */
export function matchesBeyond(glob: string, beginning: string): boolean {
  if (glob === '') return false;
  if (beginning === '') return true;
  const [first] = beginning;
  if (glob.startsWith('**')) return matchesBeyond(glob.slice(2), beginning) || matchesBeyond(glob, beginning.slice(1));
  if (glob.startsWith('*')) {
    return matchesBeyond(glob.slice(1), beginning) || (first !== '/' && matchesBeyond(glob, beginning.slice(1)));
  }
  return glob[0] === first && matchesBeyond(glob.slice(1), beginning.slice(1));
}

export function calledAt(record: WorldRecord, seq: number): Called {
  return { shapeName: (record.shape ?? record).localAt(seq), name: record.nameAt(seq) };
}

export function calledAs(record: WorldRecord, name: string): Called {
  return { shapeName: record.shape === undefined ? name : (name.split('/')[0] ?? ''), name };
}

const NOW = Number.MAX_SAFE_INTEGER;

export class OracleToken {
  /** Its own entries first, then those of its parent, and so on. */
  readonly levels: readonly (readonly OracleEntry[])[];
  readonly #shown = new Map<string, boolean>();
  readonly #ids = new Map<WorldRecord, number>();
  /** Cached separately for own and other repositories, because ownership can change. */
  readonly #scopes = { own: new Map<WorldRepository, Set<Scope>>(), other: new Map<WorldRepository, Set<Scope>>() };
  readonly #narrowed = new Map<WorldRepository, boolean>();

  constructor(levels: readonly (readonly OracleEntry[])[]) {
    this.levels = levels;
  }

  scopesIn(repository: WorldRepository): ReadonlySet<Scope> {
    const scopes = this.#scopes[repository.isOwn ? 'own' : 'other'];
    const known = scopes.get(repository) ?? this.#findScopes(repository);
    scopes.set(repository, known);
    return known;
  }

  #findScopes(repository: WorldRepository): Set<Scope> {
    const role: readonly Scope[] = repository.isOwn ? ORGANIZATION_ROLES.owner : [];
    const held = role.filter((scope) =>
      this.levels.every((level) => decisive(level, repository).some(({ permissions }) => permissions.includes(scope))),
    );
    return new Set(held.filter((scope) => scope.startsWith('repo:')));
  }

  holdsInOrganization(org: string, scope: Scope): boolean {
    return this.levels.every((level) => {
      const own = level.filter((entry) => entry.org === org);
      const entries = own.length > 0 ? own : level.filter((entry) => entry.org === undefined && !entry.repo);
      return entries.some(({ permissions }) => permissions.includes(scope));
    });
  }

  /** A caller who may list an organization sees its repositories, even those that it cannot read. */
  listsIn(repository: WorldRepository): boolean {
    return (
      repository.isOwn &&
      this.levels.every((level) => decisive(level, repository).some((one) => one.permissions.includes('org:read')))
    );
  }

  reads(repository: WorldRepository): boolean {
    return repository.visibility === 'public' || this.scopesIn(repository).has('repo:read');
  }

  isNarrowedIn(repository: WorldRepository): boolean {
    const known =
      this.#narrowed.get(repository) ?? this.levels.some((level) => narrowingEntries(level, repository) !== undefined);
    this.#narrowed.set(repository, known);
    return known;
  }

  get isNarrowedAnywhere(): boolean {
    return this.levels.some((level) => level.some(({ refs, shapes }) => refs !== undefined || shapes !== undefined));
  }

  shows(record: WorldRecord, ...others: readonly Called[]): boolean {
    return [calledAt(record, NOW), ...others].every((called) => this.#showsAs(record, called));
  }

  showsAt(record: WorldRecord, seq: number): boolean {
    return this.shows(record, calledAt(record, seq));
  }

  #showsAs(record: WorldRecord, called: Called): boolean {
    const id = this.#ids.get(record) ?? this.#ids.size;
    this.#ids.set(record, id);
    const key = `${id} ${called.name}`;
    const known = this.#shown.get(key);
    if (known !== undefined) return known;
    const shown = this.levels.every((level) => {
      const entries = narrowingEntries(level, record.repo);
      return entries === undefined || entries.some((entry) => entryShows(entry, record, called));
    });
    this.#shown.set(key, shown);
    return shown;
  }
}

/** The entries of the narrowest resource decide. */
function decisive(level: readonly OracleEntry[], repository: WorldRepository): readonly OracleEntry[] {
  const own = level.filter(({ repo }) => repo === repository);
  if (own.length > 0) return own;
  const inOrganization = level.filter(({ org }) => org === repository.orgName);
  return inOrganization.length > 0 ? inOrganization : level.filter(({ org, repo }) => !org && !repo);
}

/** `undefined` if nothing narrows the read scope. Entries of one resource add up. */
function narrowingEntries(level: readonly OracleEntry[], repository: WorldRepository) {
  const reading = decisive(level, repository).filter(({ permissions }) => permissions.includes('repo:read'));
  if (reading.length === 0 || reading.some(({ refs, shapes }) => !refs && !shapes)) return undefined;
  return reading;
}

function entryShows({ refs, shapes }: OracleEntry, record: WorldRecord, { shapeName, name }: Called): boolean {
  const shape = record.shape ?? record;
  if (shapes !== undefined && !shapes.some((one) => one === shape || one === shapeName)) return false;
  if (refs === undefined) return true;
  return record.kind === 'shape'
    ? refs.some((glob) => matchesBeyond(glob, `${name}/`))
    : refs.some((glob) => matchesGlob(glob, name));
}
