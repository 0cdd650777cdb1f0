// `npm run soak`: uses a server in all ways for some time, with faults, and reports errors.
//   npm run soak -- --minutes 20 --engine postgres
//   --kill-every 15    seconds between two kills, on average; 0 for none, to observe memory
//   --pace 100         milliseconds between two commits of one writer, on average
//   --seed 1           repeats the same choices, as far as timing allows
//   --report FILE      file for the summary, as JSON
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeTestPackages } from '../support/packages.ts';
import { openGround } from './ground.ts';
import { engineOf, numberOf } from './option.ts';
import { soak } from './soak.ts';
import { intervalLine, summaryText } from './summary.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '20' },
    engine: { type: 'string', default: 'sqlite' },
    'kill-every': { type: 'string', default: '15' },
    pace: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    report: { type: 'string' },
  },
});
const engine = engineOf(values.engine);
const report = values.report ?? join(tmpdir(), `cairn-soak-${engine}.json`);
const packages = await writeTestPackages();
const ground = await openGround(engine);
let isWrong = true;
try {
  const summary = await soak({
    ground,
    serverFile: join(packages.folder, 'server/main.js'),
    seconds: 60 * numberOf('minutes', values.minutes),
    killEverySeconds: numberOf('kill-every', values['kill-every']),
    paceMs: numberOf('pace', values.pace),
    seed: numberOf('seed', values.seed),
    onInterval: (interval) => console.log(intervalLine(interval)),
  });
  writeFileSync(report, `${JSON.stringify(summary, undefined, 2)}\n`);
  console.log(summaryText(summary));
  console.log(`\nThe summary is in ${report}.`);
  isWrong = summary.findings.sentences.length > 0;
} finally {
  packages.remove();
  await ground.close({ keep: isWrong });
}
if (isWrong) {
  if (engine === 'sqlite') console.log(`What is wrong can be looked at in ${ground.folder}.`);
  process.exitCode = 1;
}
