// docs/reference/sdk.md: every symbol of the SDK with its description, and the examples that the tests run.
import { type SdkMember, type SdkSymbol, sdkSymbols } from './sdk-symbol.ts';

const isValue = ({ kind }: SdkSymbol) => kind === 'class' || kind === 'function' || kind === 'const';
const isSurface = (symbol: SdkSymbol) => !isValue(symbol) && symbol.example !== undefined;

export function sdkPage(): string {
  const symbols = sdkSymbols();
  const sections = (which: (symbol: SdkSymbol) => boolean) => symbols.filter(which).map(section).join('\n');
  const types = symbols.filter((symbol) => !isValue(symbol) && !isSurface(symbol));
  return [
    '# SDK\n',
    'The exports of `@cairn/sdk`. [The SDK](../sdk.md) explains how to use it. In the examples, `client` is a `CairnClient` and `repo`',
    "a handle, `client.repo('acme/world')`. A handle has the calls of the surfaces without their first two arguments.\n",
    `## Functions and classes\n\n${sections(isValue)}`,
    `## Surfaces and handles\n\n${sections(isSurface)}`,
    `## Types\n\n${types.map(({ name, sentence }) => `- \`${name}\`: ${sentence}`).join('\n')}\n`,
  ].join('\n');
}

function section({ name, sentence, example = '', members }: SdkSymbol): string {
  const calls = members.map(call).join('\n');
  return `### ${name}\n\n${sentence}\n\n\`\`\`ts\n${example}\n\`\`\`\n${calls === '' ? '' : `\n${calls}\n`}`;
}

const call = ({ signature, sentence }: SdkMember) => `- \`${signature}\`: ${sentence}`;
