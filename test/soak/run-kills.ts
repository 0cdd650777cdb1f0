// `npm run soak:kills`: kills a server repeatedly under eight writers, in pieces that add up in a file.
//   npm run soak:kills -- --kills 1000 --engine sqlite --report soak-kills.json
//   --piece 100        kills per store; after them the store is checked and replaced
//   --operations 250   operations acknowledged between two kills, on average
//   --seed 1           seed of the first piece; each later piece uses another
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Engine } from '../../packages/server/src/engine/database.ts';
import { writeTestPackages } from '../support/packages.ts';
import { openGround } from './ground.ts';
import { addPiece, type KillPiece, readReport, totalsLine, totalsOf } from './kill-report.ts';
import { killOften } from './kills.ts';
import { engineOf, numberOf } from './option.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    piece: { type: 'string', default: '100' },
    engine: { type: 'string', default: 'sqlite' },
    operations: { type: 'string', default: '250' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    report: { type: 'string', default: 'soak-kills.json' },
  },
});
const engine = engineOf(values.engine);
const operationsEach = Math.max(1, numberOf('operations', values.operations));
const pieceKills = Math.max(1, numberOf('piece', values.piece));
// An unreadable report must fail before the run starts.
readReport(values.report);
const packages = await writeTestPackages();
try {
  let left = numberOf('kills', values.kills);
  for (let seed = numberOf('seed', values.seed); left > 0; seed++) {
    const piece = await runPiece({ engine, kills: Math.min(left, pieceKills), seed });
    left -= piece.kills;
    for (const sentence of piece.findings.sentences) console.log(sentence);
    for (const totals of totalsOf(addPiece(values.report, piece))) console.log(totalsLine(totals));
    if (piece.findings.sentences.length > 0) process.exitCode = 1;
  }
} finally {
  packages.remove();
}

async function runPiece({ engine, kills, seed }: { engine: Engine; kills: number; seed: number }): Promise<KillPiece> {
  const ground = await openGround(engine);
  let isWrong = true;
  try {
    const serverFile = join(packages.folder, 'server/main.js');
    const onKill = (done: number, operations: number) => {
      if (done % 10 === 0) console.log(`${done} kills, ${operations.toLocaleString('en')} operations acknowledged`);
    };
    const piece = await killOften({ ground, serverFile, kills, operationsEach, seed, onKill });
    isWrong = piece.findings.sentences.length > 0;
    return piece;
  } finally {
    await ground.close({ keep: isWrong });
    if (isWrong && engine === 'sqlite') console.log(`What is wrong can be looked at in ${ground.folder}.`);
  }
}
