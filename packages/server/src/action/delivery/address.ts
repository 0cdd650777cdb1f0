// Which addresses are public: those that anybody on the internet may be sent to. From the registries of special-purpose
// addresses of IANA, and what clouds answer secrets on.
import { BlockList, isIP } from 'node:net';

type Range = readonly [network: string, prefix: number];

const NOT_PUBLIC_IPV4: readonly Range[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // Reached only from within Azure, where it answers what a machine is configured with.
  ['168.63.129.16', 32],
];

/** All global unicast. What embeds an IPv4 address (mapped, translated) lies outside, or among the exceptions. */
const PUBLIC_IPV6: readonly Range[] = [['2000::', 3]];

const NOT_PUBLIC_IPV6: readonly Range[] = [
  // Teredo, benchmarking, ORCHID and other protocols.
  ['2001::', 23],
  ['2001:db8::', 32],
  // 6to4: an IPv4 address in disguise.
  ['2002::', 16],
  ['3fff::', 20],
];

const blockedIpv4 = listOf(NOT_PUBLIC_IPV4, 'ipv4');
const globalIpv6 = listOf(PUBLIC_IPV6, 'ipv6');
const blockedIpv6 = listOf(NOT_PUBLIC_IPV6, 'ipv6');

function listOf(ranges: readonly Range[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of ranges) list.addSubnet(network, prefix, family);
  return list;
}

export function isPublicAddress(address: string): boolean {
  // A zone names a link of this machine.
  if (address.includes('%')) return false;
  const family = isIP(address);
  if (family === 4) return !blockedIpv4.check(address, 'ipv4');
  return family === 6 && globalIpv6.check(address, 'ipv6') && !blockedIpv6.check(address, 'ipv6');
}
