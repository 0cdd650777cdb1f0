// Which address a request comes from. What a client writes into X-Forwarded-For is believed only as far as proxies that
// the operator trusts have passed it on; anything else would let everyone choose the address that they are limited by.
import { type BlockList, isIP } from 'node:net';
import { networkOf } from '../access/network.rule.ts';

export interface Arrived {
  /** The other end of the connection; `undefined` without one. */
  readonly peer: string | undefined;
  readonly forwardedFor: string | undefined;
  readonly trustedProxies: BlockList;
}

/** The nearest address that is not a trusted proxy: each proxy adds the one that it was called from, at the end. */
export function clientAddress({ peer, forwardedFor, trustedProxies }: Arrived): string | undefined {
  let address = peer === undefined ? undefined : parseAddress(peer);
  if (address === undefined || forwardedFor === undefined) return address;
  for (const entry of forwardedFor.split(',').reverse()) {
    if (!isIn(trustedProxies, address)) break;
    const before = parseAddress(entry.trim());
    if (before === undefined) break;
    address = before;
  }
  return address;
}

/** The network whose connection limit applies, or `undefined` for a trusted proxy. */
export function connectionOf(peer: string | undefined, trustedProxies: BlockList): string | undefined {
  const address = clientAddress({ peer, forwardedFor: undefined, trustedProxies });
  return address === undefined || isIn(trustedProxies, address) ? undefined : networkOf(address);
}

function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

// The longest address has 45 characters; the rest is a zone or a port.
const ENTRY_CHARACTERS_MAX = 100;
/** Some proxies add the port: `192.0.2.1:4711`, `[2001:db8::1]:4711`. */
const WITH_PORT = /^(?:\[([^[\]]+)\]|([\d.]+))(?::\d{1,5})?$/;
const MAPPED_IPV4 = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/** One spelling for each address. An IPv4 address in the clothes of an IPv6 one is the IPv4 address. */
function parseAddress(text: string): string | undefined {
  if (text.length > ENTRY_CHARACTERS_MAX) return undefined;
  const [, ipv6, ipv4] = WITH_PORT.exec(text) ?? [];
  const [address = ''] = (ipv6 ?? ipv4 ?? text).split('%');
  const version = isIP(address);
  if (version === 4) return address;
  if (version === 0) return undefined;
  // URL knows the one short spelling (RFC 5952) and writes everything in hexadecimal groups.
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = MAPPED_IPV4.exec(short) ?? [];
  return high === undefined || low === undefined ? short : [...bytesOf(high), ...bytesOf(low)].join('.');
}

function bytesOf(group: string): [number, number] {
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 0xff];
}
