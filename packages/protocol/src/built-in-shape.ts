// Shapes that every repository has. They are written into it at first use, and nobody writes them by hand.

interface BuiltInShape {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly description: string;
}

const members = { type: 'array', items: 'wref' };

export const BUILT_IN_SHAPES: Readonly<Record<string, BuiltInShape>> = {
  Arc: { fields: { from: 'wref', to: 'wref' }, description: 'A directed connection of two records.' },
  Bond: { fields: { ends: { ...members, minItems: 2, maxItems: 2 } }, description: 'A connection without direction.' },
  Set: { fields: { members }, description: 'Records that belong together, in no order.' },
  List: { fields: { items: members }, description: 'Records in an order.' },
  Pair: { fields: { first: 'wref', second: 'wref' }, description: 'Two records; kept for old data.' },
  Content: { fields: { content: 'string' }, description: 'Text about the repository: Readme and Agents.' },
  LicenseSubject: { fields: { 'title?': 'string', 'url?': 'string' }, description: 'What a licence is declared for.' },
  LicenseDeclaration: { fields: { license: 'string', 'url?': 'string' }, description: 'A licence, by its SPDX id.' },
  ComponentInstall: {
    fields: { state: 'string', version: 'string', manifestHash: 'string', 'component?': 'string' },
    description: 'An installed component.',
  },
  ComponentConfig: {
    fields: { 'cliBaseUrl?': 'string', 'config?': 'json' },
    description: 'How an installed component is set up.',
  },
};
