// The repository of export.ts for commands, and a file to export it into.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Engine } from '../../packages/server/src/engine/database.ts';
import { openRepository } from './cli.ts';
import { WORLD_COMMITS } from './export.ts';
import { exportText, withoutTime } from './sdk-world.ts';

export async function openExportedWorld(engine: Engine) {
  const world = await openRepository(engine);
  for (const operations of WORLD_COMMITS) await world.client.commit.submit('ada', 'world', { operations });
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'world.ndjson');
  const read = () => withoutTime(readFileSync(file, 'utf8'));
  const whole = withoutTime(await exportText(world.client));
  return { ...world, file, part: `${file}.part`, read, whole };
}
