// Every symbol of the SDK has a description. Every value and every surface has an example, which is compiled and run
// unchanged.
import { spawnSync } from 'node:child_process';
import { cpSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type SdkSymbol, sdkSymbols } from '../scripts/sdk-symbol.ts';
import { startReceiver, withStatus } from './support/receiver.ts';
import { type PreparedStage, prepareFirst, prepareStage } from './support/sdk/example-stage.ts';
import type { Stage } from './support/sdk/stage.ts';
import { ROOT, startTestServer, testFolder } from './support/server.ts';

const symbols = sdkSymbols();
const examples = symbols.filter(({ example }) => example !== undefined);
/** Callable symbols only. The example of an argument or result type is the one of its call. */
const isCalled = ({ name, kind }: SdkSymbol) =>
  ['class', 'function', 'const'].includes(kind) || /Surface$|^Repo(Handle|Shapes|Things)$/.test(name);

describe('what the SDK exports', () => {
  it('is all found', () => {
    const names = symbols.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['CairnClient', 'defineShape', 'RepoHandle', 'TransportOptions']));
    expect(new Set(names).size).toBe(names.length);
    const thing = symbols.find(({ name }) => name === 'ThingSurface');
    expect(thing?.members.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['get', 'getMany', 'history', 'names', 'refs', 'graph', 'changes', 'diff', 'rename']),
    );
  });

  it('has a sentence for every symbol, and for every call of those that are called', () => {
    const silent = symbols.flatMap((symbol) => [
      ...(isSentence(symbol.sentence) ? [] : [symbol.name]),
      ...(isCalled(symbol) ? symbol.members : [])
        .filter(({ sentence }) => !isSentence(sentence))
        .map(({ name }) => `${symbol.name}.${name}`),
    ]);
    expect(silent).toEqual([]);
  });

  it('has an example for everything that is called', () => {
    expect(
      symbols.filter((symbol) => isCalled(symbol) && symbol.example === undefined).map(({ name }) => name),
    ).toEqual([]);
    expect(examples.length).toBeGreaterThan(35);
  });

  it('has every call in the example of what it belongs to', () => {
    const shown = ({ name, example = '' }: SdkSymbol, call: string) =>
      call === '()' ? name === 'RepoSurface' : example.includes(`.${call}(`);
    const missing = symbols
      .filter(isCalled)
      .flatMap((symbol) =>
        symbol.members
          .filter(
            ({ name, signature }) =>
              /^[^:]*\(/.test(signature) && !signature.startsWith('get ') && !shown(symbol, name),
          )
          .map(({ name }) => `${symbol.name}.${name}`),
      );
    expect(missing).toEqual([]);
  });
});

const isSentence = (text: string) => /^[A-Z`].*\.$/.test(text);

/** Builds one module with a function per example. The names that examples assume are in scope. */
function moduleOf(replacedIn: (symbol: SdkSymbol) => string): string {
  const values = symbols.filter(({ kind }) => ['class', 'function', 'const'].includes(kind)).map(({ name }) => name);
  const given: (keyof Stage)[] = [
    ...([
      'client',
      'repo',
      'url',
      'token',
      'code',
      'email',
      'password',
      'newPassword',
      'tokens',
      'refreshToken',
    ] as const),
    ...(['secret', 'manifest', 'nextManifest', 'header', 'lines', 'end', 'readings'] as const),
  ];
  const functions = examples.map(
    (symbol) =>
      `  ${symbol.name}: async ({ ${given.join(', ')} }: Stage) => {\n    {\n${replacedIn(symbol)}\n    }\n  },`,
  );
  return [
    "import { createReadStream } from 'node:fs';",
    `import { ${values.join(', ')} } from '@cairn/sdk';`,
    "import type { Stage } from './stage.ts';",
    `export const examples: Record<string, (stage: Stage) => Promise<void>> = {\n${functions.join('\n')}\n};\n`,
  ].join('\n');
}

function programFolder(): string {
  const folder = testFolder();
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  cpSync(join(ROOT, 'test/support/sdk/stage.ts'), join(folder, 'stage.ts'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  return folder;
}

describe('the examples of the SDK', () => {
  it('compile', () => {
    const folder = programFolder();
    writeFileSync(
      join(folder, 'examples.ts'),
      moduleOf(({ example = '' }) => example),
    );
    const config = { extends: join(ROOT, 'tsconfig.json'), include: ['*.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8', cwd: folder });
    expect(status, stdout).toBe(0);
  });

  it('do what they say, on a real server', async () => {
    const printing = vi.spyOn(console, 'log').mockImplementation(() => {});
    onTestFinished(() => printing.mockRestore());
    const receiver = await startReceiver(withStatus(202));
    const server = await startTestServer('sqlite', { CAIRN_OUTBOUND_ALLOW: receiver.address });
    const folder = programFolder();
    const failures: string[] = [];
    const run = async (symbol: SdkSymbol, { stage, replaced, close }: PreparedStage) => {
      const file = join(folder, `${symbol.name}.ts`);
      const here = Object.entries(replaced).reduce(
        (text, [there, place]) => text.replaceAll(there, place),
        symbol.example ?? '',
      );
      writeFileSync(
        file,
        moduleOf((one) => (one === symbol ? here : '')),
      );
      const { examples: functions } = (await import(file)) as {
        examples: Record<string, (stage: Stage) => Promise<void>>;
      };
      const example = functions[symbol.name] ?? (() => Promise.reject(new Error('it is not there')));
      await example(stage).catch((error: unknown) => failures.push(`${symbol.name}: ${error}`));
      close();
    };
    const first = examples.filter(({ name }) => name === 'setUpServer');
    for (const symbol of first) {
      const stage = (await prepareFirst({ server })) as Stage;
      await run(symbol, { stage, replaced: { 'http://localhost:8787': server.url }, close: () => {} });
    }
    const rest = examples.filter((symbol) => !first.includes(symbol));
    for (const [index, symbol] of rest.entries()) {
      await run(
        symbol,
        await prepareStage({ server, receiver, symbol: symbol.name, orgName: `acme-${index}`, folder }),
      );
    }
    expect(failures).toEqual([]);
  });
});
