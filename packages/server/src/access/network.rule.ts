import { isIP } from 'node:net';

/** What shares a limit: one IPv4 address, or the 2^64 IPv6 addresses that one customer has at least. */
export function networkOf(address: string): string {
  if (isIP(address) === 4) return address;
  const [left = [], right = []] = address.split('::').map((part) => part.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  const groups = [...left, ...zeros, ...right];
  return `${groups.slice(0, 4).join(':')}::/64`;
}
