// Exports through the proxy while the working node is killed: during a stream, during a build, and during a download.
// The result equals an undisturbed export.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { CairnClient, ExportedFile } from '@cairn/sdk';
import { expect } from 'vitest';
import type { Grant } from '../../packages/server/src/access/grant.rule.ts';
import type { Store } from '../../packages/server/src/store.ts';
import { parseExport } from '../support/export.ts';
import { sha256Of } from '../support/export-job.ts';
import { commitInput } from '../support/repository.ts';
import { testFolder } from '../support/server.ts';
import type { Answered, NodeName, NodeRig } from './node-rig.ts';

export const ARCHIVE = ['ada', 'archive'] as const;

// More than all sockets and buffers between a node and a client that does not read can hold.
const RECORDS = 60;
const RECORD_BYTES = 900_000;
const LOOK_EVERY_MS = 10;

export async function fillArchive(store: Store, grant: Grant): Promise<void> {
  const commit = (operation: object) => store.write.commit(commitInput(grant, [operation]));
  await commit({ kind: 'shape', name: 'Page', data: { fields: {} } });
  for (let n = 0; n < RECORDS; n++) {
    await commit({ name: `Page/${n}`, data: { text: String(n % 10).repeat(RECORD_BYTES) } });
  }
}

export async function cutStream(rig: NodeRig): Promise<NodeName> {
  const { client, trail } = rig.visitor();
  const pieces: Uint8Array[] = [];
  let killed: NodeName | undefined;
  let atRepoSeq = 0;
  for await (const part of client.repo.exportLines(...ARCHIVE)) {
    pieces.push(part.lines);
    if (part.type === 'header') ({ atRepoSeq } = part.header);
    if (part.type !== 'rows' || killed !== undefined) continue;
    killed = trail.at(-1)?.node;
    await rig.kill(...(killed === undefined ? [] : [killed]));
  }
  await expectRows(rig, Buffer.concat(pieces).toString('utf8'), atRepoSeq);
  return wentOnElsewhere(trail);
}

export async function cutBuild(rig: NodeRig, { database }: Store): Promise<NodeName> {
  const { client } = rig.visitor();
  for (;;) {
    await addPage(client);
    const exporting = client.repo.exportToFile(...ARCHIVE, join(testFolder(), 'built.ndjson'));
    const builder = await builderOf(rig, exporting);
    if (builder !== undefined) await rig.kill(builder);
    const file = await exporting;
    await expectFile(rig, file);
    // The build ended before the test could see its builder, so try again.
    if (builder === undefined) continue;
    const sql = 'select claims from export_build where at_seq = $1';
    const [build] = await database.query<{ claims: number }>(sql, [file.atRepoSeq]);
    expect(build?.claims).toBeGreaterThan(1);
    return builder;
  }
}

async function addPage(client: CairnClient): Promise<void> {
  const submissionId = crypto.randomUUID();
  const operations = [{ operation: 'add', name: `Page/${submissionId}`, data: {} }];
  await client.commit.submit(...ARCHIVE, { submissionId, operations });
}

async function builderOf(rig: NodeRig, exporting: Promise<unknown>): Promise<NodeName | undefined> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  exporting.then(end, end);
  while (!isOver) {
    const builder = rig.whoHas('.part');
    if (builder !== undefined) return builder;
    await pause(LOOK_EVERY_MS);
  }
  return undefined;
}

export async function cutDownload(rig: NodeRig): Promise<NodeName> {
  const { client, trail } = rig.visitor();
  let killing: Promise<void> | undefined;
  const file = await client.repo.exportToFile(...ARCHIVE, join(testFolder(), 'downloaded.ndjson'), {
    onProgress: ({ state }) => {
      const node = trail.at(-1)?.node;
      if (state === 'downloading' && node !== undefined) killing ??= rig.kill(node);
    },
  });
  await killing;
  await expectFile(rig, file);
  return wentOnElsewhere(trail.filter(({ path }) => path.startsWith('/downloads/')));
}

function wentOnElsewhere([first, ...others]: readonly Answered[]): NodeName {
  if (first === undefined) throw new Error('nobody has answered');
  expect(others).not.toEqual([]);
  expect(others.filter(({ node }) => node === first.node)).toEqual([]);
  return first.node;
}

async function expectFile(rig: NodeRig, { path, atRepoSeq, recordCount }: ExportedFile): Promise<void> {
  const text = readFileSync(path, 'utf8');
  expect(parseExport(text).rows).toHaveLength(recordCount);
  await expectRows(rig, text, atRepoSeq);
}

async function expectRows(rig: NodeRig, text: string, atRepoSeq: number): Promise<void> {
  const { client } = rig.visitor();
  const pieces: Uint8Array[] = [];
  for await (const { lines } of client.repo.exportLines(...ARCHIVE, { atRepoSeq })) pieces.push(lines);
  const [cut, whole] = [parseExport(text), parseExport(Buffer.concat(pieces).toString('utf8'))];
  expect(cut.recordCount).toBe(whole.recordCount);
  expect(cut.lines.map(sha256Of)).toEqual(whole.lines.map(sha256Of));
}
