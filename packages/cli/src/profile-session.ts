// The tokens of the profile that a command uses, refreshed without notice. A refresh token is good for one use: of several
// commands that run at once, one refreshes and the others find what it got.
import { CairnError, type GetToken, refreshingToken, refreshSession, type SessionTokens } from '@cairn/sdk';
import { UsageError } from './exit-codes.ts';
import { type Choice, sameServer } from './profile-choice.ts';
import { changeProfiles, type Profiles, profileNamed } from './profile-file.ts';

/** What the OAuth server knows this command as. */
export const CLIENT_ID = 'cairn-cli';

/** What a client is given, so that it asks as whom the choice says. */
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

/** While a command runs, its profile may become that of another server or another account: it does not follow there. */
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
