// Reads one answer from a socket, at full speed or at a given rate, and reports bytes and time. It runs in its own
// process, so that it takes no time from the server.
import { connect } from 'node:net';

export interface Download {
  readonly port: number;
  readonly path: string;
  readonly token: string;
  /** Undefined means full speed. */
  readonly bytesPerSecond?: number;
  /** Disconnects after this many bytes. */
  readonly bytes?: number;
}

const END_CHARACTERS = 200;

export interface Downloaded {
  readonly bytes: number;
  readonly seconds: number;
  readonly end: string;
}

function download({
  port,
  path,
  token,
  bytesPerSecond,
  bytes: most = Number.POSITIVE_INFINITY,
}: Download): Promise<Downloaded> {
  const start = performance.now();
  let bytes = 0;
  let end = '';
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.write(
      `GET ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer ${token}\r\n\r\n`,
    );
    socket.on('data', (chunk) => {
      bytes += chunk.length;
      end = (end + chunk.toString('latin1', Math.max(0, chunk.length - END_CHARACTERS))).slice(-END_CHARACTERS);
      if (bytes > most) socket.destroy();
      else if (bytesPerSecond !== undefined) pause(start + (bytes / bytesPerSecond) * 1_000 - performance.now());
    });
    const pause = (ms: number) => {
      if (ms <= 0) return;
      socket.pause();
      setTimeout(() => socket.resume(), ms);
    };
    socket.on('error', reject);
    socket.on('close', () => resolve({ bytes, seconds: (performance.now() - start) / 1_000, end }));
  });
}

process.on('message', async (asked) => process.send?.(await download(asked as Download)));
process.once('disconnect', () => process.exit());
