// Chooses the server and the identity of a command. A profile's token goes only to the server of that profile, whatever
// address is given.
import {
  CairnClient,
  CairnError,
  type GetToken,
  refreshingToken,
  refreshSession,
  type SessionTokens,
} from '@cairn/sdk';
import { UsageError } from './exit-codes.ts';
import type { Io } from './io.ts';
import {
  changeProfiles,
  type Profile,
  type Profiles,
  profileFile,
  profileNamed,
  readProfiles,
} from './profile-file.ts';

const DEFAULT_URL = 'http://localhost:8787';
const DEFAULT_PROFILE = 'default';
const PROFILE_NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;

export interface ChoiceFlags {
  readonly url?: string;
  readonly profile?: string;
}

export interface Choice {
  readonly url: string;
  readonly urlFrom: '--url' | 'CAIRN_URL' | 'profile' | 'default';
  readonly profileName: string;
  readonly profileFrom: '--profile' | 'CAIRN_PROFILE' | 'current' | 'default';
  /** Undefined if nobody has signed in under that name. */
  readonly profile: Profile | undefined;
  /** Source of the token; undefined for anonymous requests. */
  readonly tokenFrom: 'CAIRN_TOKEN' | 'profile' | undefined;
  readonly file: string | undefined;
}

export function choose(io: Io, flags: ChoiceFlags): Choice {
  const file = profileFile(io);
  const profiles = readProfiles(file);
  const named = chosenName(io, flags, profiles);
  const profile = profileNamed(profiles, named.profileName);
  const address = addressOf(io, flags, profile);
  const isOfProfile = profile !== undefined && sameServer(profile.url, address.url);
  const tokenFrom = io.environment.CAIRN_TOKEN !== undefined ? 'CAIRN_TOKEN' : isOfProfile ? 'profile' : undefined;
  return { ...named, ...address, profile, tokenFrom, file };
}

export function chooseKnown(io: Io, flags: ChoiceFlags): Choice {
  const choice = choose(io, flags);
  const { profile, profileName, profileFrom } = choice;
  if (profile === undefined && (profileFrom === '--profile' || profileFrom === 'CAIRN_PROFILE')) {
    throw unknownProfile(profileName);
  }
  return choice;
}

export function unknownProfile(name: string): UsageError {
  return new UsageError(`There is no profile ${name}. Sign in: cairn auth login --profile ${name} --url URL.`);
}

function chosenName({ environment }: Io, flags: ChoiceFlags, { current }: Profiles) {
  const { CAIRN_PROFILE } = environment;
  if (flags.profile !== undefined)
    return { profileName: checkedName(flags.profile), profileFrom: '--profile' } as const;
  if (CAIRN_PROFILE !== undefined) {
    return { profileName: checkedName(CAIRN_PROFILE), profileFrom: 'CAIRN_PROFILE' } as const;
  }
  if (current !== undefined) return { profileName: current, profileFrom: 'current' } as const;
  return { profileName: DEFAULT_PROFILE, profileFrom: 'default' } as const;
}

export function checkedName(name: string): string {
  if (PROFILE_NAME.test(name)) return name;
  throw new UsageError(`${name} is not a valid profile name. Use up to 64 letters, digits, dots, - and _.`);
}

function addressOf({ environment }: Io, flags: ChoiceFlags, profile: Profile | undefined) {
  const { CAIRN_URL } = environment;
  if (flags.url !== undefined) return { url: checkedUrl(flags.url), urlFrom: '--url' } as const;
  if (CAIRN_URL !== undefined) return { url: checkedUrl(CAIRN_URL), urlFrom: 'CAIRN_URL' } as const;
  if (profile !== undefined) return { url: checkedUrl(profile.url), urlFrom: 'profile' } as const;
  return { url: DEFAULT_URL, urlFrom: 'default' } as const;
}

const HOST_ALONE = /^(localhost|[\w-]+(\.[\w-]+)+|[\w-]+(?=:\d)|\[[\da-f:]+\])(:\d+)?(\/[^\s?#]*)?$/i;

function checkedUrl(url: string): string {
  if (/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return url;
  throw new UsageError(`${url} is not a URL. Write it as ${HOST_ALONE.test(url) ? `http://${url}` : DEFAULT_URL}.`);
}

/** Ignores a final slash, a default port and capitals in the host name. */
export function sameServer(url: string, other: string): boolean {
  return serverUrl(url) === serverUrl(other);
}

export function serverUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

export const NOT_SIGNED_IN = 'You are not signed in. Run cairn auth login, or set CAIRN_TOKEN.';

/** Says where a server or a profile was chosen. */
export const CHOSEN_BY = {
  '--url': 'from --url',
  CAIRN_URL: 'from CAIRN_URL',
  profile: 'from the profile',
  '--profile': 'from --profile',
  CAIRN_PROFILE: 'from CAIRN_PROFILE',
  current: 'the current profile',
  default: 'the default',
};

export function signInHint(choice: Choice, { code }: CairnError): string | undefined {
  const { tokenFrom, profile, profileName, profileFrom, url } = choice;
  if (code !== 'UNAUTHENTICATED' && (code !== 'NOT_FOUND' || tokenFrom !== undefined)) return undefined;
  if (tokenFrom === 'CAIRN_TOKEN')
    return 'The token is from CAIRN_TOKEN, which overrides all profiles. Set another one, or unset it.';
  if (tokenFrom === 'profile') {
    const flag = profileFrom === '--profile' ? ` --profile ${profileName}` : '';
    return `The token is from the profile ${profileName}. Sign in again: cairn auth login${flag}.`;
  }
  if (profile !== undefined) {
    return `You are not signed in to ${url}: the token of the profile ${profileName} is only for ${profile.url}. Sign in: cairn auth login --url ${url} --profile NAME.`;
  }
  return code === 'NOT_FOUND'
    ? 'You are not signed in. To see more than public repositories, run cairn auth login or set CAIRN_TOKEN.'
    : NOT_SIGNED_IN;
}

export function withHint<Thrown>(choice: Choice, error: Thrown): Thrown | CairnError {
  if (!(error instanceof CairnError)) return error;
  const hint = signInHint(choice, error);
  if (hint === undefined) return error;
  const { code, ...fields } = error.fields;
  return new CairnError(code, { ...fields, hint: fields.hint === undefined ? hint : `${fields.hint} ${hint}` });
}

export const CLIENT_ID = 'cairn-cli';

export function credentialsOf(choice: Choice, environment: Readonly<Record<string, string | undefined>>) {
  const { tokenFrom, profile } = choice;
  if (tokenFrom === 'CAIRN_TOKEN') return { token: environment.CAIRN_TOKEN };
  if (tokenFrom === undefined || profile === undefined) return {};
  return profile.session === undefined ? { token: profile.token } : { getToken: sessionToken(choice, profile.session) };
}

function sessionToken(choice: Choice, session: SessionTokens): GetToken {
  return refreshingToken(session, async (ended) => {
    let next = ended;
    await changeProfiles(choice.file, async (profiles) => {
      const known = sessionIn(profiles, choice);
      if (known === undefined) throw signedOut(choice);
      const isRefreshed = known.refreshToken !== ended.refreshToken;
      next = isRefreshed ? known : await refreshed(choice, known);
      return isRefreshed ? profiles : withSession(profiles, choice.profileName, next);
    }).catch((error: unknown) => {
      throw error instanceof UsageError ? notRefreshed(error) : error;
    });
    return next;
  });
}

/** Another process may sign the profile in elsewhere while a command runs; the command does not follow. */
function sessionIn(profiles: Profiles, { profileName, profile }: Choice): SessionTokens | undefined {
  const found = profileNamed(profiles, profileName);
  const isSame = found !== undefined && found.handle === profile?.handle && sameServer(found.url, profile.url);
  return isSame ? found.session : undefined;
}

async function refreshed(choice: Choice, { refreshToken }: SessionTokens): Promise<SessionTokens> {
  try {
    return await refreshSession(choice.url, { refreshToken, clientId: CLIENT_ID });
  } catch (error) {
    throw error instanceof CairnError && error.code === 'UNAUTHENTICATED' ? signedOut(choice) : error;
  }
}

function notRefreshed({ message }: UsageError): CairnError {
  return new CairnError('UNAUTHENTICATED', { message: `The session cannot be refreshed. ${message}` });
}

function signedOut({ profileName }: Choice): CairnError {
  return new CairnError('UNAUTHENTICATED', { message: `The session of profile ${profileName} has ended.` });
}

function withSession(profiles: Profiles, name: string, session: SessionTokens): Profiles {
  const profile = profileNamed(profiles, name);
  return profile === undefined
    ? profiles
    : { ...profiles, profiles: { ...profiles.profiles, [name]: { ...profile, session } } };
}

/** Nobody waits longer than this at a prompt. */
const ANSWER_MS_MAX = 3_000;

export function openImpatient(io: Io, flags: ChoiceFlags) {
  const choice = choose(io, flags);
  const impatient: typeof fetch = (input, init) =>
    fetch(input, { ...init, signal: AbortSignal.timeout(io.retry.silenceMs ?? ANSWER_MS_MAX) });
  const client = new CairnClient({
    url: choice.url,
    fetch: impatient,
    retry: { tries: 1 },
    ...credentialsOf(choice, io.environment),
  });
  return { client, choice };
}
