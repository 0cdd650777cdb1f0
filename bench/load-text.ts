export interface Sent {
  readonly path: string;
  readonly json?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly token?: string;
}

export function requestText({ path, token, json, headers = {} }: Sent): string {
  const all = {
    host: 'localhost',
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...headers,
    ...(json !== undefined && { 'content-length': Buffer.byteLength(json) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${json === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${json ?? ''}`;
}
