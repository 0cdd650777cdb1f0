// Addresses that lead, or could lead, to places that only the server can reach.

/** DNS of the corpus. Only `public.example.com` is safe. */
export const NAMES: Readonly<Record<string, readonly string[]>> = {
  'public.example.com': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'loopback.example.com': ['127.0.0.1'],
  'loopback6.example.com': ['::1'],
  'private.example.com': ['10.0.0.5'],
  'metadata.example.com': ['169.254.169.254'],
  'mixed-a.example.com': ['93.184.215.14', '127.0.0.1'],
  'mixed-aaaa.example.com': ['93.184.215.14', '::1'],
  'mixed-first.example.com': ['127.0.0.1', '93.184.215.14'],
  'mapped.example.com': ['::ffff:127.0.0.1'],
  'mapped-hex.example.com': ['::ffff:7f00:1'],
  'nat64.example.com': ['64:ff9b::7f00:1'],
  'sixtofour.example.com': ['2002:7f00:1::'],
  'teredo.example.com': ['2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  'unique-local.example.com': ['fd00:ec2::254'],
  'link-local.example.com': ['fe80::1%lo'],
  'any.example.com': ['0.0.0.0'],
  'any6.example.com': ['::'],
  'no-address.example.com': ['not an address'],
  '127.0.0.1.nip.io': ['127.0.0.1'],
  'xn--ls8h.example.com': ['127.0.0.1'],
};

const words = (text: string) => text.trim().split(/\s+/);

/** All spellings of this machine's address that any parser may accept. */
const NUMERIC = words(`
  127.0.0.1 127.1 127.0.1 127.127.127.127 2130706433 0x7f000001 0x7f.0.0.1 0x7f.1 0x7F.0x0.0x0.0x1
  017700000001 0177.0.0.1 0177.1 0177.0x0.0.1 00000177.0.0.1 127.000.000.001 0 0.0.0.0 0x0 00 0.0 1
  127.0.0.1. 127.0.0.0x1 4294967295 4294967296 6425673729 127.0.0.257 256.0.0.1 127.0.0.1.1 127。0。0。1
  １２７.0.0.1 ⑫7.0.0.1 127%2e0%2e0%2e1 127.0.0.1%00 127.0.0.1%2f %31%32%37.0.0.1 -127.0.0.1 +127.0.0.1
`);

const IPV4 = words(`
  0.1.2.3 10.0.0.1 10.255.255.255 100.64.0.1 100.100.100.200 100.127.255.255 127.255.255.254 169.254.0.1
  169.254.169.254 169.254.170.2 172.16.0.1 172.31.255.255 192.0.0.1 192.0.0.192 192.0.2.1 192.88.99.1
  192.168.0.1 192.168.255.255 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.255.255.255
  240.0.0.1 255.255.255.255 168.63.129.16
`);

const IPV6 = words(`
  [::] [::1] [0:0:0:0:0:0:0:1] [0000:0000:0000:0000:0000:0000:0000:0001] [::0001] [::ffff:127.0.0.1]
  [::ffff:7f00:1] [::FFFF:7F00:0001] [::ffff:0:127.0.0.1] [::127.0.0.1] [::7f00:1] [::ffff:a9fe:a9fe]
  [::ffff:10.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::7f00:1] [64:ff9b:1::7f00:1] [2002:7f00:1::]
  [2002:a9fe:a9fe::1] [2002:c0a8:1::1] [2001::1] [2001:0:7f00:1::] [2001:10::1] [2001:20::1] [2001:db8::1]
  [3fff::1] [100::1] [5f00::1] [fc00::1] [fd00:ec2::254] [fd20:ce::254] [fe80::1] [fe80::1%25eth0]
  [fe80::1%eth0] [::1%25lo] [febf::1] [fec0::1] [ff02::1] [ff0e::1] [::1 ::1 [127.0.0.1] [::1]] [[::1]]
  [v1.127.0.0.1] [::1].example.com
`);

const PRIVATE_NAMES = words(`
  localhost LOCALHOST localhost. a.localhost localhost.localdomain ip6-localhost metadata
  metadata.google.internal metadata.google.internal. instance-data kubernetes.default.svc.cluster.local
  printer.local router.lan nas.home nas.home.arpa intranet wiki.corp host.docker.internal ｌocalhost
  loc%61lhost ⓛocalhost local\u00adhost public.example.com. public..example.com -a.example.com
  public。example。com ex_ample
`);

const BROKEN_NAMES = ['.example.com', `${'a'.repeat(64)}.example.com`];

const withPorts = (hosts: readonly string[], ports: readonly number[]) =>
  hosts.flatMap((host) => [`https://${host}/`, ...ports.map((port) => `https://${host}:${port}/`)]);

/** URLs that parsers interpret differently. */
const tricksWith = (port: number) => [
  `https://public.example.com@127.0.0.1:${port}/`,
  `https://127.0.0.1:${port}@public.example.com/`,
  'https://user@public.example.com/',
  'https://user:password@public.example.com/',
  'https://:@public.example.com/',
  'https://@public.example.com/',
  `https://public.example.com%40127.0.0.1:${port}/`,
  `https://public.example.com\\@127.0.0.1:${port}/`,
  `https://127.0.0.1:${port}\\@public.example.com/`,
  `https://127.0.0.1:${port}#@public.example.com/`,
  `https://127.0.0.1:${port}?@public.example.com/`,
  `https:///127.0.0.1:${port}/`,
  `https:127.0.0.1:${port}/`,
  `https:/127.0.0.1:${port}/`,
  `https:\\\\127.0.0.1:${port}/`,
  `//127.0.0.1:${port}/`,
  `\thttps://127.0.0.1:${port}/`,
  `ht\ntps://127.0.0.1:${port}/`,
  `https://127.0.\t0.1:${port}/`,
  ` https://public.example.com/`,
  'https://public.example.com/ ',
  'https://public.example.com/\r\nx: y',
  `http://127.0.0.1:${port}/`,
  'http://public.example.com/',
  'http://public.example.com:443/',
  ...[22, 80, 444, 6379, 8080, 65_535, port].map((other) => `https://public.example.com:${other}/`),
  'https://public.example.com:0/',
  'https://public.example.com:65536/',
  'https://public.example.com:443:8443/',
  'https://public.example.com:4４3/',
  'https://public.example.com:+443/',
  'https://',
  'https://?',
  '',
  'public.example.com',
  `ftp://127.0.0.1:${port}/`,
  `gopher://127.0.0.1:${port}/_x`,
  `file:///etc/passwd`,
  'unix:/var/run/docker.sock',
  'javascript:alert(1)',
  'data:text/plain,x',
  `wss://127.0.0.1:${port}/`,
  `blob:https://127.0.0.1:${port}/`,
];

const BAD_NAMES = Object.keys(NAMES).filter((name) => name !== 'public.example.com');

export function ssrfCorpus(port: number): string[] {
  const hosts = [...NUMERIC, ...IPV4, ...IPV6, ...PRIVATE_NAMES, ...BROKEN_NAMES, ...BAD_NAMES];
  return [...withPorts(hosts, [443, 8443, port]), ...tricksWith(port)];
}
