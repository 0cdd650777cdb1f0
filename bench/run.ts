// `npm run bench`: measures, prints a table with the bare limit beside each figure, and writes bench/results.json.
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { commitFigures } from './commit.ts';
import { summary, table } from './figure.ts';
import { readFigures } from './read-beside-commit.ts';
import { renameFigures } from './rename.ts';

const figures = [...(await commitFigures()), ...(await renameFigures()), ...(await readFigures())];
console.log(table(figures));
const results = { node: process.version, cores: availableParallelism(), figures: figures.map(summary) };
writeFileSync(join(import.meta.dirname, 'results.json'), `${JSON.stringify(results, null, 2)}\n`);
