// Session tokens that must be refused. Each differs from a valid one as its name says. Most are signed with our own
// key, to show that the claim or header is what fails. The others use a foreign key to show that the key fails.
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { CompactEncrypt } from 'jose';
import type { SigningKey } from '../../packages/server/src/keys/session-jwt.ts';

export type Claims = Readonly<Record<string, unknown>>;
export type Forgery = readonly [what: string, token: string];

export interface ForgedWorld {
  readonly key: SigningKey;
  readonly claims: Claims & { readonly iat: number; readonly exp: number; readonly iss: string; readonly sub: string };
  readonly foreignUrl: string;
}

type Signer = (input: string) => Uint8Array;

const segment = (value: string | object) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');

/** Header and payload as text or value. A text can contain forms that no serializer writes. */
export function compactJws(header: string | object, payload: string | object, signer: Signer): string {
  const input = `${segment(header)}.${segment(payload)}`;
  return `${input}.${Buffer.from(signer(input)).toString('base64url')}`;
}

export function signerOf({ privateKey }: { privateKey: KeyObject }, digest: string | null = null): Signer {
  return (input) => sign(digest, Buffer.from(input), privateKey);
}

export function headerOf({ id }: SigningKey) {
  return { alg: 'EdDSA', typ: 'at+jwt', kid: id };
}

function without(claims: Claims, name: string): Claims {
  return Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
}

export function forgedAlgorithms({ key, claims }: ForgedWorld): Forgery[] {
  const header = headerOf(key);
  const ours = signerOf(key);
  const unsigned = ['none', 'None', 'NONE', 'nOnE', ' none', 'none ', '', null, 0, [], ['EdDSA'], undefined].flatMap(
    (alg): Forgery[] => {
      const token = compactJws({ ...header, alg }, claims, ours);
      const bare = token.slice(0, token.lastIndexOf('.'));
      return [
        [`alg ${JSON.stringify(alg)}, signed by us`, token],
        [`alg ${JSON.stringify(alg)}, no signature`, `${bare}.`],
        [`alg ${JSON.stringify(alg)}, two parts`, bare],
      ];
    },
  );
  const jwk = key.publicKey.export({ format: 'jwk' });
  const secrets: Record<string, string | Buffer> = {
    'raw bytes': Buffer.from(jwk.x ?? '', 'base64url'),
    'raw bytes in base64url': jwk.x ?? '',
    JWK: JSON.stringify(jwk),
    PEM: key.publicKey.export({ format: 'pem', type: 'spki' }),
    'PEM without its last line break': key.publicKey.export({ format: 'pem', type: 'spki' }).toString().trim(),
    DER: key.publicKey.export({ format: 'der', type: 'spki' }),
    id: key.id,
    nothing: '',
  };
  const confused = Object.entries(secrets).flatMap(([what, secret]) =>
    ([256, 384, 512] as const).map((bits): Forgery => {
      const signer: Signer = (input) => createHmac(`sha${bits}`, secret).update(input).digest();
      return [`HS${bits} with the public key as ${what}`, compactJws({ ...header, alg: `HS${bits}` }, claims, signer)];
    }),
  );
  return [...unsigned, ...confused];
}

export function forgedKeys({ key, claims, foreignUrl }: ForgedWorld): Forgery[] {
  const header = headerOf(key);
  const ours = signerOf(key);
  const foreign = generateKeyPairSync('ed25519');
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const ed448 = generateKeyPairSync('ed448');
  const es256: Signer = (input) =>
    sign('sha256', Buffer.from(input), { key: ec.privateKey, dsaEncoding: 'ieee-p1363' });
  const jwk = { ...foreign.publicKey.export({ format: 'jwk' }), kid: key.id, alg: 'EdDSA', use: 'sig' };
  const certificate = foreign.publicKey.export({ format: 'der', type: 'spki' }).toString('base64');
  const offers = {
    jku: `${foreignUrl}/jwks.json`,
    x5u: `${foreignUrl}/chain.pem`,
    jwk,
    x5c: [certificate],
    'x5t#S256': 'AAAA',
  };
  const by = (what: string, changed: object, signer: Signer): Forgery => [
    what,
    compactJws({ ...header, ...changed }, claims, signer),
  ];
  return [
    by('ES256', { alg: 'ES256' }, es256),
    by('EdDSA that is ES256', {}, es256),
    by('RS256', { alg: 'RS256' }, signerOf(rsa, 'sha256')),
    by('PS256 that is RS256', { alg: 'PS256' }, signerOf(rsa, 'sha256')),
    by('Ed448 as EdDSA', {}, signerOf(ed448)),
    by('Ed448', { alg: 'Ed448' }, signerOf(ed448)),
    by('a foreign Ed25519 key with our id', {}, signerOf(foreign)),
    by('our key under another name of the algorithm', { alg: 'Ed25519' }, ours),
    ...[
      undefined,
      '',
      null,
      1,
      [key.id],
      'other',
      `${key.id} `,
      key.id.toLowerCase().toUpperCase(),
      '../../dev/null',
    ].map((kid) => by(`our key with the id ${JSON.stringify(kid)}`, { kid }, ours)),
    ...Object.entries(offers).flatMap(([name, value]) => [
      by(`a foreign key that ${name} offers`, { [name]: value }, signerOf(foreign)),
      by(`a foreign key that ${name} alone offers`, { [name]: value, kid: undefined }, signerOf(foreign)),
      by(`our key beside ${name}`, { [name]: value }, ours),
    ]),
  ];
}

export function forgedHeaders({ key, claims }: ForgedWorld): Forgery[] {
  const header = headerOf(key);
  const ours = signerOf(key);
  const text = JSON.stringify(header);
  const unencoded = `${segment({ ...header, b64: false, crit: ['b64'] })}.${segment(claims)}`;
  const changed: readonly object[] = [
    { crit: ['unknown'] },
    { crit: ['exp'], exp: claims.exp },
    { crit: [] },
    { crit: 'alg' },
    { crit: ['b64'], b64: true },
    { b64: false },
    { b64: false, crit: ['b64'] },
    { zip: 'DEF' },
    { cty: 'JWT' },
    ...[undefined, null, '', 'JWT', 'jwt', 'at+jwt2', 'dpop+jwt', 'id+jwt', ['at+jwt']].map((typ) => ({ typ })),
  ];
  return [
    ...changed.map(
      (change): Forgery => [
        `the header ${JSON.stringify(change)} ${Object.keys(change)}`,
        compactJws({ ...header, ...change }, claims, ours),
      ],
    ),
    ['an unencoded payload', `${unencoded}.${Buffer.from(ours(unencoded)).toString('base64url')}`],
    ['alg twice', compactJws(text.replace('{', '{"alg":"none",'), claims, ours)],
    ['alg twice, by an escape', compactJws(text.replace('{', '{"\\u0061lg":"none",'), claims, ours)],
    ['kid twice', compactJws(text.replace('}', `,"kid":"${key.id}"}`), claims, ours)],
    ['a header that is a list', compactJws([header], claims, ours)],
    ['a header that is null', compactJws('null', claims, ours)],
    ['a header that is no JSON', compactJws('alg=EdDSA', claims, ours)],
    ['an empty header', compactJws('', claims, ours)],
    ['__proto__ in the header', compactJws(text.replace('{', '{"__proto__":{"alg":"none"},'), claims, ours)],
  ];
}

const LONG = 'x'.repeat(2_000);
const WRONG: Readonly<Record<string, readonly unknown[]>> = {
  sub: [
    null,
    1,
    '',
    '0',
    '-1',
    '1.5',
    '1e0',
    ' 1',
    '01',
    '+1',
    '0x1',
    'ada',
    '9007199254740993',
    '9'.repeat(400),
    LONG,
  ],
  jti: [null, 1, '', [], {}],
  sid: [null, 1, '', [], {}, '00000000-0000-4000-8000-000000000000', "' or 1=1 --", 'a\u0000b', '%', LONG],
  scope: [null, 1, '', [], {}, ['cairn'], 'openid', 'Cairn', 'cairn2', 'xcairn', 'cairn:read', 'openid,cairn'],
  iss: [null, 1, '', [], 'https://evil.example'],
  aud: [null, 1, '', [], {}, 'https://evil.example'],
  iat: [null, '', '1', true, [], -1, 0],
  exp: [null, '', '1', true, [], -1, 0],
  nbf: [null, '', 'x', [], 1e15],
};

/** All signed by us, because a mistake elsewhere must not make them valid either. */
export function forgedClaims({ key, claims }: ForgedWorld): Forgery[] {
  const header = headerOf(key);
  const ours = signerOf(key);
  const { iss, iat, exp, sub } = claims;
  const by = (what: string, payload: string | object): Forgery => [what, compactJws(header, payload, ours)];
  const text = JSON.stringify(claims);
  const withText = (name: string, value: string) =>
    by(`${name} ${value}`, text.replace(new RegExp(`"${name}":[^,}]+`), `"${name}":${value}`));
  return [
    ...['sub', 'jti', 'sid', 'scope', 'iat', 'exp', 'iss', 'aud'].map((name) =>
      by(`no ${name}`, without(claims, name)),
    ),
    ...Object.entries(WRONG).flatMap(([name, values]) =>
      values.map((value) => by(`${name} ${JSON.stringify(value)?.slice(0, 40)}`, { ...claims, [name]: value })),
    ),
    ...[`${iss}/`, iss.toUpperCase(), iss.replace('http:', 'https:'), `${iss}.evil.example`, [iss]].flatMap((other) => [
      by(`iss ${JSON.stringify(other)}`, { ...claims, iss: other }),
      by(`aud ${JSON.stringify(other)}`, { ...claims, aud: other }),
    ]),
    by('aud of two', { ...claims, aud: [iss, 'https://evil.example'] }),
    by('exp in the past', { ...claims, iat: iat - 3_600, exp: exp - 3_600 - 600 }),
    by('iat in the future', { ...claims, iat: iat + 600 }),
    by('all of it in the future', { ...claims, iat: iat + 600, exp: exp + 600 }),
    by('nbf in the future', { ...claims, nbf: iat + 600 }),
    by('a lifetime of more than an hour', { ...claims, exp: iat + 3_601 }),
    by('a lifetime of a year', { ...claims, exp: iat + 31_536_000 }),
    by('exp before iat', { ...claims, exp: iat - 1 }),
    by('exp with a fraction', { ...claims, exp: exp - 0.5 }),
    by('iat with a fraction', { ...claims, iat: iat + 0.5 }),
    withText('exp', '1e400'),
    withText('exp', '1e308'),
    withText('exp', `${exp}e0`.replace('e0', '.0000000000001')),
    withText('iat', '-1e400'),
    by('sub twice', text.replace('{', `{"sub":"${Number(sub) + 1}",`)),
    by('sub twice, the other last', text.replace(/}$/, `,"sub":"${Number(sub) + 1}"}`)),
    by('exp twice, by an escape', text.replace('{', '{"\\u0065xp":1,')),
    by('a payload that is a list', [claims]),
    by('a payload that is null', 'null'),
    by('a payload that is no JSON', 'sub=1'),
    by('a payload that is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]).toString('latin1')),
    by('claims that are inherited', `{"__proto__":${text}}`),
  ];
}

/** Uses only characters that a bearer token may have. */
export async function forgedForms({ key, claims }: ForgedWorld): Promise<Forgery[]> {
  const good = compactJws(headerOf(key), claims, signerOf(key));
  const [header = '', payload = '', signature = ''] = good.split('.');
  const secret = Buffer.from(key.publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
  const sealed = await new CompactEncrypt(Buffer.from(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', typ: 'at+jwt', kid: key.id })
    .encrypt(secret);
  const wrapped = await new CompactEncrypt(Buffer.from(good))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', cty: 'JWT' })
    .encrypt(secret);
  const json = JSON.stringify({ payload, signatures: [{ protected: header, signature }] });
  return [
    ['a JWE', sealed],
    ['a JWE around a good one', wrapped],
    ['a detached payload', `${header}..${signature}`],
    ['the JSON form, encoded', segment(json)],
    ['the JSON form, encoded, as a payload', `${header}.${segment(json)}.${signature}`],
    ['a dot at the end', `${good}.`],
    ['a dot at the start', `.${good}`],
    ['a dot too many', `${header}..${payload}.${signature}`],
    ['a signature twice', `${good}.${signature}`],
    ['a good one twice', `${good}.${good}`],
    ['two parts', `${header}.${payload}`],
    ['one part', header],
    ['dots alone', '..'],
    ['parts in another order', `${payload}.${header}.${signature}`],
    ['padding', `${good}==`],
    ['no signature', `${header}.${payload}.`],
    ['half a signature', good.slice(0, -43)],
    ['a longer signature', `${good}A`],
    ['a signature of zeros', `${header}.${payload}.${'A'.repeat(86)}`],
    ['the other base64', `${header}.${payload}.${signature.slice(0, -2)}+/`],
    ['a tilde', `${header}.~${payload}.${signature}`],
    ['a prefix of other tokens', `cairn_${good}`],
    ['in capitals', good.toUpperCase()],
    ...otherEndings(signature).map((other): Forgery => ['other unused bits', `${header}.${payload}.${other}`]),
  ];
}

/** 64 bytes leave 4 unused bits in the last character. Many decoders ignore them. */
function otherEndings(signature: string): string[] {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return [...alphabet].map((character) => signature.slice(0, -1) + character).filter((other) => other !== signature);
}
