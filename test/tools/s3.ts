// A real S3-compatible server on a free port of this machine, with one bucket. It verifies signatures.
import type { IncomingMessage, Server } from 'node:http';
import S3rver from '@20minutes/s3rver';
import { onTestFinished } from 'vitest';
import { testFolder } from '../support/server.ts';

export interface TestS3 {
  readonly endpoint: string;
  readonly requests: readonly string[];
  readonly environment: Record<string, string>;
}

const BUCKET = 'cairn-test';
const KEY = 'S3RVER';

export async function startS3(): Promise<TestS3> {
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: testFolder(),
    configureBuckets: [{ name: BUCKET }],
  });
  const { port } = await server.run();
  const requests: string[] = [];
  const http: Server = server.httpServer;
  http.on('request', ({ method, url }: IncomingMessage) => requests.push(`${method} ${url}`));
  onTestFinished(async () => {
    http.closeAllConnections();
    await server.close();
  });
  const endpoint = `http://127.0.0.1:${port}`;
  const environment = {
    CAIRN_BLOBS: `s3://${BUCKET}/some/prefix?region=us-east-1&endpoint=${encodeURIComponent(endpoint)}`,
    CAIRN_S3_ACCESS_KEY_ID: KEY,
    CAIRN_S3_SECRET_ACCESS_KEY: KEY,
  };
  return { endpoint, requests, environment };
}
