// The repository of export.ts on a real port, through the SDK.
import { CairnClient, type TransportOptions } from '../../packages/sdk/src/index.ts';
import type { Engine } from '../../packages/server/src/engine/database.ts';
import { WORLD_COMMITS } from './export.ts';
import { createOwnerToken, startTestServer } from './server.ts';

export interface SdkWorld {
  readonly url: string;
  readonly token: string;
  readonly client: CairnClient;
  readonly through: (url: string, options?: Partial<TransportOptions>) => CairnClient;
}

export async function openWorld(engine: Engine, environment: Record<string, string> = {}): Promise<SdkWorld> {
  const server = await startTestServer(engine, environment);
  const token = await createOwnerToken(server.store);
  const through = (url: string, options: Partial<TransportOptions> = {}) =>
    new CairnClient({ url, token, retry: { pauseMs: 0 }, ...options });
  const client = through(server.url);
  await client.repo.create('ada', 'world');
  for (const operations of WORLD_COMMITS) await client.commit.submit('ada', 'world', { operations });
  return { url: server.url, token, client, through };
}

export async function exportText(client: CairnClient, options = {}): Promise<string> {
  const lines: Uint8Array[] = [];
  for await (const part of client.repo.exportLines('ada', 'world', options)) lines.push(part.lines);
  return Buffer.concat(lines).toString('utf8');
}

/** Masks the export time, the only part that differs between two exports. */
export const withoutTime = (text: string) => text.replace(/"exportedAt":\d+/, '"exportedAt":0');

export async function listOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}
