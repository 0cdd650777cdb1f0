// A file of operations for a stream, and its expected result from a model that is independent of the server.

/** The key of a record: its name, or its token if the server generated the name. */
type Key = string;

interface Operation {
  readonly operation?: 'add' | 'revise' | 'retract' | 'rename';
  readonly kind?: 'shape';
  readonly name: string;
  readonly newName?: string;
  readonly skipExisting?: boolean;
  readonly data?: Data | { readonly fields: object };
}

interface Data {
  /** The line number, or a string if the server must refuse the line. */
  readonly n: number | string;
  readonly label?: number;
  readonly to?: string;
}

export interface ExpectedRecord {
  readonly name: string;
  readonly version: number;
  readonly active: boolean;
  readonly n: number;
  readonly to: string | undefined;
}

const FIELDS = { n: { type: 'number', indexed: true }, 'label?': 'number', 'to?': 'wref' };
const PERIOD = 20;

/** The operation on line `n`, counted from 0, if there is one. It refers to a line some hundred lines earlier. */
function operationAt(n: number): Operation | undefined {
  if (n === 0) return { kind: 'shape', name: 'Item', data: { fields: FIELDS } };
  const start = n - (n % PERIOD);
  const plain = { name: `Item/${n}`, data: { n } };
  switch (n % PERIOD) {
    case 0:
      return { name: `Item/t-$${n}`, data: { n, label: n } };
    case 3:
      return undefined;
    case 5:
      return { operation: 'revise', name: `Item/${Math.max(start - 400, 0) + 1}`, data: { n } };
    case 7:
      return start < 280 ? plain : { ...plain, data: { n, to: `#${start - 260}` } };
    case 9:
      return refusedAt(n);
    case 11:
      return { operation: n === 11 ? 'add' : 'revise', name: 'Item/counter', data: { n } };
    case 13:
      return start < 300
        ? plain
        : { operation: 'rename', name: `#${start - 280}`, newName: `Item/named-${start - 280}` };
    case 15:
      return { name: 'Item/1', data: { n }, skipExisting: true };
    case 17:
      return start < 140 ? plain : { operation: 'revise', name: `#${start - 120}`, data: { n, label: start - 120 } };
    case 19:
      return start < 520 ? plain : { operation: 'retract', name: `Item/${start - 500 + 1}` };
    default:
      return plain;
  }
}

function refusedAt(n: number): Operation {
  const refused: Operation[] = [
    { name: 'Item/1', data: { n } },
    { name: `Item/${n}`, data: { n: 'no number' } },
    { name: `Item/${n}`, data: { n, to: `#${n}` } },
    { operation: 'revise', name: `Item/${n}`, data: { n } },
  ];
  return refused[Math.floor(n / PERIOD) % refused.length] as Operation;
}

export function streamText(lineCount: number): string {
  const lines = Array.from({ length: lineCount }, (_, n) => JSON.stringify(operationAt(n)) ?? ' '.repeat(n % 3));
  return lines.map((line) => `${line}\n`).join('');
}

export interface Expected {
  readonly records: ReadonlyMap<Key, ExpectedRecord>;
  /** All changes in order, each with operation, record and version. */
  readonly changes: readonly string[];
  readonly counts: Readonly<Record<'applied' | 'noop' | 'error', number>>;
}

export function expectedOf(lineCount: number): Expected {
  const model = new Model();
  for (let n = 0; n < lineCount; n++) {
    const operation = operationAt(n);
    if (operation !== undefined) model.apply(operation);
  }
  return model;
}

class Model implements Expected {
  readonly records = new Map<Key, ExpectedRecord>();
  readonly changes: string[] = [];
  readonly counts = { applied: 0, noop: 0, error: 0 };

  apply(operation: Operation): void {
    const outcome = this.#outcome(operation);
    this.counts[outcome] += 1;
  }

  #outcome(operation: Operation): 'applied' | 'noop' | 'error' {
    const { operation: verb = 'add', name, newName, skipExisting, data } = operation;
    if (operation.kind === 'shape') return this.#change('add', name, 1);
    const key = keyOf(name);
    const present = this.records.get(key);
    if (verb === 'add' && present !== undefined) return skipExisting ? 'noop' : 'error';
    if (verb !== 'add' && present === undefined) return 'error';
    const { version, ...held } = present ?? { name, version: 0, active: true, n: 0, to: undefined };
    if (verb === 'rename') {
      this.records.set(key, { ...held, version, name: newName ?? '' });
      return this.#change(verb, key, version);
    }
    const written = verb === 'retract' ? { ...held, active: false } : this.#written(held.name, data as Data);
    if (written === undefined) return 'error';
    this.records.set(key, { ...written, version: version + 1 });
    return this.#change(verb, key, version + 1);
  }

  #written(name: string, { n, to }: Data): Omit<ExpectedRecord, 'version'> | undefined {
    if (typeof n !== 'number') return undefined;
    if (to === undefined) return { name, active: true, n, to };
    const target = this.records.get(keyOf(to));
    return target && { name, active: true, n, to: `${keyOf(to)}@v${target.version}` };
  }

  #change(verb: string, key: Key, version: number): 'applied' {
    this.changes.push(`${verb} ${key}@v${version}`);
    return 'applied';
  }
}

function keyOf(name: string): Key {
  return name.startsWith('#') ? `$${name.slice(1)}` : name.replace(/^Item\/t-/, '');
}
