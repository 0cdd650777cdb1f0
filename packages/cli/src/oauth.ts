// OAuth client: signs in with a device code (RFC 8628) and signs out (RFC 7009).
import { ended } from '@cairn/protocol/errors';
import { CairnError } from '@cairn/sdk';
import { noAnswer } from '@cairn/sdk/http';
import {
  allowInsecureRequests,
  Configuration,
  initiateDeviceAuthorization,
  None,
  pollDeviceAuthorizationGrant,
  ResponseBodyError,
  tokenRevocation,
} from 'openid-client';
import { CLIENT_ID, sameServer, serverUrl } from './profile-choice.ts';
import type { Profile } from './profile-file.ts';

const SCOPE = 'openid offline_access cairn';
const ANSWER_MS_MAX = 20_000;

type ServerMetadata = ConstructorParameters<typeof Configuration>[0];

const ENDPOINTS = ['token_endpoint', 'device_authorization_endpoint', 'revocation_endpoint'] as const;

/**
 * A malicious server could send people to another server's sign-in page, with a code that grants it access there. They
 * would trust the page and expect the code.
 */
function requireWithin(url: string, address: unknown): void {
  if (typeof address === 'string' && URL.parse(address)?.origin === new URL(url).origin) return;
  throw new CairnError('VALIDATION_ERROR', {
    message: `The sign-in was stopped, because the server at ${url} leads to another site. If you trust it, sign in with a token: cairn auth login --with-token.`,
  });
}

/** Reads the server's metadata. The issuer must be the server that was asked. */
async function findServer(url: string): Promise<Configuration> {
  const metadata = await readMetadata(url);
  if (typeof metadata?.issuer !== 'string' || metadata.device_authorization_endpoint === undefined) {
    throw noSignIn(url);
  }
  if (!URL.canParse(metadata.issuer) || !sameServer(metadata.issuer, url)) {
    throw new CairnError('VALIDATION_ERROR', {
      message: `The server at ${url} calls itself ${metadata.issuer}. Use that address: --url ${metadata.issuer}. If it is wrong, set CAIRN_PUBLIC_URL on the server.`,
    });
  }
  for (const name of ENDPOINTS) requireWithin(url, metadata[name]);
  const server = new Configuration(metadata, CLIENT_ID, undefined, None());
  server.timeout = ANSWER_MS_MAX / 1_000;
  if (new URL(url).protocol === 'http:') allowInsecureRequests(server);
  return server;
}

async function readMetadata(url: string): Promise<ServerMetadata | undefined> {
  const address = `${serverUrl(url)}/.well-known/oauth-authorization-server`;
  const signal = AbortSignal.timeout(ANSWER_MS_MAX);
  const answer = await fetch(address, { signal, redirect: 'error' }).catch((cause: unknown) => {
    throw noAnswer(url, cause);
  });
  if (answer.status >= 500) throw noAnswer(url, new Error(`it answered ${answer.status}`));
  return answer.ok ? ((await answer.json().catch(() => undefined)) as ServerMetadata | undefined) : undefined;
}

function noSignIn(url: string): CairnError {
  return new CairnError('NOT_FOUND', {
    message: `${url} does not support this sign-in. It is not a Cairn server, or an older version of one. Sign in with a token instead: cairn auth login --with-token.`,
  });
}

export interface DeviceCode {
  readonly verificationUri: string;
  readonly verificationUriComplete: string;
  readonly userCode: string;
  readonly expiresAt: number;
}

export async function signInByDevice(
  url: string,
  onCode: (code: DeviceCode) => void,
): Promise<Required<Profile>['session']> {
  const server = await findServer(url);
  const parameters = { scope: SCOPE, resource: server.serverMetadata().issuer };
  const device = await initiateDeviceAuthorization(server, parameters).catch((error: unknown) => {
    throw refusalOf(url, error);
  });
  const expiresAt = Date.now() + device.expires_in * 1_000;
  const { verification_uri: verificationUri, user_code: userCode } = device;
  const { verification_uri_complete: verificationUriComplete = verificationUri } = device;
  for (const page of [verificationUri, verificationUriComplete]) requireWithin(url, page);
  onCode({ verificationUri, verificationUriComplete, userCode, expiresAt });
  for (;;) {
    const askedAt = Date.now();
    try {
      const said = await pollDeviceAuthorizationGrant(server, device, { resource: parameters.resource });
      if (said.refresh_token === undefined) throw noSignIn(url);
      const lastsMs = (said.expires_in ?? 0) * 1_000;
      return { accessToken: said.access_token, refreshToken: said.refresh_token, expiresAt: Date.now() + lastsMs };
    } catch (error) {
      // The server may be unreachable for a while during sign-in.
      if (!isAway(error) || askedAt > expiresAt) throw refusalOf(url, error);
    }
  }
}

export async function endSession({ url, session }: Profile): Promise<void> {
  if (session === undefined) return;
  const server = await findServer(url);
  await tokenRevocation(server, session.refreshToken, { token_type_hint: 'refresh_token' }).catch((error: unknown) => {
    throw refusalOf(url, error);
  });
}

/** `fetch` throws a TypeError if nobody answers. */
function isAway(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && 'code' in error && error.code === 'OAUTH_TIMEOUT');
}

function refusalOf(url: string, error: unknown): CairnError {
  if (error instanceof CairnError) return error;
  if (!(error instanceof ResponseBodyError)) return noAnswer(url, error);
  switch (error.error) {
    case 'access_denied':
      return new CairnError('FORBIDDEN', {
        message: 'The sign-in was denied on the page. To try again: cairn auth login.',
      });
    case 'expired_token':
      return new CairnError('UNAUTHENTICATED', { message: 'The sign-in timed out. Try again: cairn auth login.' });
    default:
      return new CairnError('FORBIDDEN', {
        message: ended(`The server refused the sign-in: ${error.error_description ?? error.error}`),
      });
  }
}
