import { manifestSchema } from '@cairn/protocol/manifest';
import { code, table } from './reference-text.ts';

interface Schema {
  readonly type?: string;
  readonly properties?: Record<string, Schema>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly description?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly $ref?: string;
  readonly $defs?: Record<string, Schema>;
}

interface Field {
  readonly path: string;
  readonly schema: Schema;
  readonly required: boolean;
}

export function manifestPage(): string {
  const schema = manifestSchema('') as Schema;
  const [filter = {}] = Object.values(schema.$defs ?? {});
  return `# Manifest

The manifest describes a component: one JSON object, or \`component.json\` and \`manifest.json\` in a folder. Every server has it
as JSON Schema at \`/docs/component-manifest.json\`, and \`cairn component validate\` checks one without a server.
[Components](../components.md#the-manifest) has an example and explains the fields. Fields that are not listed are stored, but have no effect.

${fieldTable(fieldsOf(schema, ''))}

## Filters

The fields of \`subscriptions[].trigger.filter\`, which is a filter as in [subscriptions](../actions.md#choose-what-triggers-a-subscription).
All conditions must match.

${fieldTable(fieldsOf(filter, ''))}
`;
}

function fieldTable(fields: readonly Field[]): string {
  const rows = fields.map(({ path, schema, required }) => [
    code(path),
    takes(schema),
    required ? 'yes' : '',
    schema.default === undefined ? '' : code(JSON.stringify(schema.default)),
    schema.description ?? '',
  ]);
  return table(['Field', 'Takes', 'Required', 'Default', 'Meaning'], rows);
}

/** Lists each field before the fields inside it. Lists are written as `name[]`. */
function fieldsOf({ properties = {}, required = [] }: Schema, above: string): Field[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const path = `${above}${name}`;
    const inside =
      schema.items?.properties === undefined ? fieldsOf(schema, `${path}.`) : fieldsOf(schema.items, `${path}[].`);
    return [{ path, schema, required: required.includes(name) }, ...inside];
  });
}

function takes(schema: Schema): string {
  const { anyOf, enum: values, items } = schema;
  if (schema.$ref !== undefined) return 'a filter';
  if (schema.const !== undefined) return code(String(schema.const));
  if (values !== undefined) return values.map((value) => code(String(value))).join(', ');
  if (anyOf !== undefined) return anyOf.map(takes).join('; or ');
  if (items !== undefined) return `a list of ${range(schema.minItems, schema.maxItems)}: ${takes(items)}`;
  if (schema.type === 'string')
    return schema.maxLength === undefined
      ? 'a string'
      : `a string of ${range(schema.minLength, schema.maxLength)} characters`;
  return schema.type === undefined ? 'anything' : `${schema.type === 'object' ? 'an object' : `a ${schema.type}`}`;
}

function range(min = 0, max?: number): string {
  return `${min > 0 ? `${min} to` : 'up to'} ${max?.toLocaleString('en')}`;
}
