import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { networkOf } from '../access/usage.sql.ts';
import { readConfig } from '../config.ts';
import { clientAddress } from './arrival.ts';

function addressOf(peer: string | undefined, forwardedFor?: string, trusted = '') {
  const { trustedProxies } = readConfig([], { CAIRN_TRUSTED_PROXIES: trusted });
  return clientAddress({ peer, forwardedFor, trustedProxies });
}

const PROXIES = 'loopback,10.0.0.0/8,192.0.2.7,2001:db8:ffff::/48';

describe('the address of a client', () => {
  it.each([
    ['198.51.100.1', '198.51.100.1'],
    ['::ffff:198.51.100.1', '198.51.100.1'],
    ['::FFFF:c633:6401', '198.51.100.1'],
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    [undefined, undefined],
    ['', undefined],
  ])('of %s is %s', (peer, address) => {
    expect(addressOf(peer)).toBe(address);
  });

  it.each([
    ['nobody is trusted', '127.0.0.1', '203.0.113.9', '', '127.0.0.1'],
    ['the peer is not trusted', '198.51.100.1', '203.0.113.9', PROXIES, '198.51.100.1'],
    ['one proxy', '127.0.0.1', '203.0.113.9', PROXIES, '203.0.113.9'],
    ['one proxy, in the form of a dual stack', '::ffff:127.0.0.1', '203.0.113.9', PROXIES, '203.0.113.9'],
    ['a chain of proxies', '::1', '203.0.113.9, 192.0.2.7, 10.1.2.3', PROXIES, '203.0.113.9'],
    ['a chain over IPv6', '2001:db8:ffff::1', '2001:db8::9', PROXIES, '2001:db8::9'],
    ['what the client wrote before the proxy added', '127.0.0.1', '1.1.1.1, 203.0.113.9', PROXIES, '203.0.113.9'],
    ['a client that names a proxy', '127.0.0.1', '10.0.0.1, 203.0.113.9', PROXIES, '203.0.113.9'],
    ['only proxies', '127.0.0.1', '10.0.0.1, 10.0.0.2', PROXIES, '10.0.0.1'],
    ['ports', '127.0.0.1', '203.0.113.9:4711', PROXIES, '203.0.113.9'],
    ['ports over IPv6', '127.0.0.1', '[2001:db8::9]:4711', PROXIES, '2001:db8::9'],
    ['nonsense', '127.0.0.1', 'nonsense', PROXIES, '127.0.0.1'],
    ['nonsense before a proxy', '127.0.0.1', '203.0.113.9, unknown, 10.0.0.1', PROXIES, '10.0.0.1'],
    ['an empty header', '127.0.0.1', '', PROXIES, '127.0.0.1'],
    ['empty entries', '127.0.0.1', ' , ,', PROXIES, '127.0.0.1'],
    ['a long entry', '127.0.0.1', '1'.repeat(10_000), PROXIES, '127.0.0.1'],
    ['all are trusted', '198.51.100.1', '203.0.113.9', '0.0.0.0/0,::/0', '203.0.113.9'],
  ])('behind proxies: %s', (_, peer, forwardedFor, trusted, address) => {
    expect(addressOf(peer, forwardedFor, trusted)).toBe(address);
  });

  it('is the last one that is good, whatever the header holds', () => {
    const part = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string(), fc.constantFrom('10.0.0.1', '[', ']', ':', '%', '::1'));
    fc.assert(
      fc.property(fc.array(part), fc.constantFrom(',', ', ', ' '), (parts, separator) => {
        const header = parts.join(separator);
        expect(addressOf('198.51.100.1', header, PROXIES)).toBe('198.51.100.1');
        expect(addressOf('10.0.0.1', `${header},203.0.113.9`, PROXIES)).toBe('203.0.113.9');
        expect(addressOf('10.0.0.1', header, PROXIES)).toMatch(/^[0-9a-f.:]+$/);
      }),
    );
  });
});

describe('the network that shares a limit', () => {
  it.each([
    ['198.51.100.1', '198.51.100.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1::2:3:4:5:6:7', '1:0:2:3::/64'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });

  it('is the same for all addresses of a /64, and another for every other', () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
    const half = fc.array(group, { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(half, half, half, half, (net, other, host, neighbour) => {
        const network = (left: string[], right: string[]) => {
          const address = addressOf([...left, ...right].join(':')) ?? '';
          return address.includes('.') ? 'mapped' : networkOf(address);
        };
        const zero = net.every((value) => value === '0');
        if (!zero) expect(network(net, host)).toBe(network(net, neighbour));
        expect(network(net, host) === network(other, host)).toBe(net.join() === other.join());
      }),
    );
  });
});
