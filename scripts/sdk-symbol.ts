// Reads the SDK's exports and their doc comments from the sources, which biome keeps in one format. The reference page
// uses them. Tests require a sentence for every symbol, and an example for every value and surface.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const SDK = 'packages/sdk/src';

export interface SdkMember {
  readonly name: string;
  /** Source text without the body. */
  readonly signature: string;
  readonly sentence: string;
}

export interface SdkSymbol {
  readonly name: string;
  readonly file: string;
  readonly kind: 'class' | 'function' | 'const' | 'interface' | 'type';
  readonly sentence: string;
  readonly example: string | undefined;
  readonly members: readonly SdkMember[];
}

export function sdkSymbols(): SdkSymbol[] {
  const index = readFileSync(join(ROOT, SDK, 'index.ts'), 'utf8');
  const exports = [...index.matchAll(/^export (?:type )?\{(.*?)\} from '([^']+)';/gms)].flatMap(
    ([, list = '', from = '']) =>
      list.split(',').flatMap((item) => {
        const name = item.trim().replace(/^type /, '');
        return name === '' ? [] : [symbolOf(name, fileOf(from))];
      }),
  );
  const whole = [...index.matchAll(/^export \* from '([^']+)';/gm)].flatMap(([, from = '']) => {
    const file = fileOf(from);
    const names = readFileSync(join(ROOT, file), 'utf8').matchAll(DECLARED);
    return [...names].map(([, name = '']) => symbolOf(name, file));
  });
  return [...exports, ...whole].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function fileOf(from: string): string {
  const [, protocol] = /^@cairn\/protocol\/(.*)$/.exec(from) ?? [];
  return protocol === undefined ? `${SDK}/${from.slice('./'.length)}` : `packages/protocol/src/${protocol}.ts`;
}

const DECLARED = /^export (?:async )?(?:class|function\*?|const|interface|type) (\w+)/gm;
const COMMENT = String.raw`(?:^[ ]*\/\*\*((?:(?!\*\/).)*)\*\/\n(?:^[ ]*\/\/[^\n]*\n)*)?`;

function symbolOf(name: string, file: string): SdkSymbol {
  const source = readFileSync(join(ROOT, file), 'utf8');
  const declaration = new RegExp(
    `${COMMENT}^export (?:async )?(class|function\\*?|const|interface|type) ${name}\\b(.*?)(?=\\n\\n|\\n?$(?![^]))`,
    'ms',
  );
  const found = declaration.exec(source);
  if (found === null) throw new Error(`${file} does not declare ${name}`);
  const [, comment = '', keyword = ''] = found;
  const kind = keyword.replace('*', '') as SdkSymbol['kind'];
  const body = bodyAt(source, found.index + found[0].length - (found[3] ?? '').length);
  const members = kind === 'class' || kind === 'interface' ? membersIn(body) : [];
  return { name, file, kind, ...spoken(comment), members };
}

/** Text between the braces of a declaration. The closing brace stands alone, without indentation. */
function bodyAt(source: string, start: number): string {
  const rest = source.slice(start);
  return rest.slice(0, /^\}/m.exec(rest)?.index ?? rest.length);
}

const MEMBER = new RegExp(
  `${COMMENT}^  ((?:(?:static|async|readonly|get) )*\\*?(?!constructor\\b)([A-Za-z]\\w*)\\??[(<:]|\\((?=\\w+: ))`,
  'gms',
);

function membersIn(body: string): SdkMember[] {
  return [...body.matchAll(MEMBER)].map((found) => {
    const [whole, comment = '', begin = '', name = ''] = found;
    const rest = body.slice(found.index + whole.length - begin.length);
    const end = /;\n| \{\n/.exec(rest)?.index ?? rest.length;
    const signature = rest
      .slice(0, end)
      .replaceAll(/\s+/g, ' ')
      .replace(/^async \*?/, '')
      .replaceAll(/(?<=[(<]) /g, '')
      .replaceAll(/,? (?=\))|,? (?=>\()/g, '');
    return { name: name === '' ? '()' : name, signature, sentence: spoken(comment).sentence };
  });
}

function spoken(comment: string): Pick<SdkSymbol, 'sentence' | 'example'> {
  const text = comment.replaceAll(/^[ ]*\* ?/gm, '').trim();
  const [sentence = '', example] = text.split(/^@example\n/m);
  return { sentence: sentence.replaceAll(/\s+/g, ' ').trim(), example: example?.trim() };
}
