// What belongs to an installed component in a repository: its shapes, which change through it alone, and its record of
// ComponentConfig.
import { type CairnError, fail } from '@cairn/protocol/errors';
import type { Reader } from '../engine/database.ts';
import type { RecordName } from '../model/record-name.ts';
import type { Head } from './record-set.sql.ts';
import { FIND_SHAPE_OWNERS } from './statement.sql.ts';

/** The install that something is written by or for. */
export interface OwnInstall {
  readonly installId: string;
  /** Of the component: its configuration is ComponentConfig/<name>. */
  readonly componentName: string;
}

interface ComponentGuardOptions {
  readonly repoId: number;
  readonly install: OwnInstall | undefined;
  /** Whether the writer may change how components are set up. */
  readonly mayConfigure: boolean;
}

export class ComponentGuard {
  readonly #options: ComponentGuardOptions;
  readonly #owners = new Map<number, string>();

  constructor(options: ComponentGuardOptions) {
    this.#options = options;
  }

  /** For shapes that the commit may change. */
  async load(reader: Reader, shapes: readonly Head[]): Promise<void> {
    const { repoId } = this.#options;
    const rows = shapes.map(({ recordId }) => [recordId]);
    const found = await reader.bulk<{ install_id: string }>(FIND_SHAPE_OWNERS, { common: [repoId], rows });
    for (const { ord, install_id } of found) {
      const shape = shapes[ord];
      if (shape !== undefined) this.#owners.set(shape.recordId, install_id);
    }
  }

  checkShape({ recordId, local }: Head): void {
    const owner = this.#owners.get(recordId);
    if (owner !== undefined && owner !== this.#options.install?.installId) throw shapeOwned(local);
  }

  /** How an installed component is set up is for who may configure the repository, and for itself. */
  checkRecord({ shapeName, local }: RecordName): void {
    const { mayConfigure, install } = this.#options;
    if (shapeName !== 'ComponentConfig' || mayConfigure || local === install?.componentName) return;
    const message = 'Records of ComponentConfig need the scope repo:configure. Use a token that has it.';
    throw fail('FORBIDDEN', { message, details: { missing: ['repo:configure'] } });
  }
}

/** The component is not named: it may be private, and the writer a stranger to it. */
function shapeOwned(shapeName: string): CairnError {
  return fail('FORBIDDEN', {
    message: `The shape ${shapeName} belongs to an installed component and changes through it alone. Update the component, or have it torn down first. The list of components of the repository shows what is installed.`,
    details: { reason: 'owned_shape', shape: shapeName },
  });
}
