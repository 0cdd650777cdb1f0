// Requests that no HTTP client would send, written byte by byte to a socket.
import { connect } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** Sends the bytes and reads until the server closes. The request should ask for that with `connection: close`. */
export function sendRaw(url: string, bytes: string | Uint8Array): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect({ host: hostname, port: Number(port) });
    // A missing answer must fail the test that waits for it.
    socket.setTimeout(20_000, () => socket.destroy(new Error('no answer within 20 s')));
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    // A server that refuses early closes while this side is still sending.
    socket.on('error', (error) => (text === '' ? reject(error) : resolve(parse(text))));
    socket.on('close', () => (text === '' ? reject(new Error('closed without an answer')) : resolve(parse(text))));
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  });
}

function parse(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return { status: Number(first.split(' ')[1]), headers, body: text.slice(end + 4) };
}

/** A GET with unmodified header lines. */
export function rawGet(path: string, lines: readonly string[]): string {
  return [`GET ${path} HTTP/1.1`, 'host: localhost', 'connection: close', ...lines, '', ''].join('\r\n');
}
