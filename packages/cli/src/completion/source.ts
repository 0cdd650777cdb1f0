// Names that can be completed, from this machine or from the server. A shell waits for them, so whatever takes too long or
// fails is simply not offered.
import type { CairnClient } from '@cairn/sdk';
import { openImpatient } from '../impatient-client.ts';
import type { Io } from '../io.ts';
import { choose } from '../profile-choice.ts';
import { readProfiles } from '../profile-file.ts';
import { chooseRepo } from '../repo-choice.ts';
import { parseRepoName } from '../repo-name.ts';
import type { Line } from './line.ts';

const NAMES_MAX = 200;
/** They come with their data. */
const RECORDS_MAX = 50;

interface Asked {
  readonly io: Io;
  readonly line: Line;
}

type Source = (asked: Asked) => Promise<readonly string[]> | readonly string[];

/** What the shell itself knows. */
export const FILES = ':files';

/** By what the placeholder of a flag or of an argument is called. */
const SOURCES: Readonly<Record<string, Source>> = {
  path: () => [FILES],
  file: () => [FILES],
  folder: () => [FILES],
  manifest: () => [FILES],
  profile: ({ io }) => Object.keys(readProfiles(choose(io, {}).file).profiles),
  org: organizations,
  'new-org': organizations,
  'org/repo': repositories,
  'org/name': repositories,
  shape: shapes,
  shapes,
  wref: records,
  record: records,
  add: shapePrefixes,
  revise: records,
  retract: records,
  rename: records,
  component: async (asked) => {
    const { client, orgName, repoName } = openRepo(asked);
    const { items } = await client.component.list(orgName, repoName, { limit: NAMES_MAX });
    return items.map(({ component }) => component);
  },
};

/** A plain `<name>` is one of the noun that it stands under. */
const NAMED: Readonly<Record<string, Source>> = {
  shape: shapes,
  assertion: records,
  collection: records,
  token: async (asked) => (await open(asked).token.list({ limit: NAMES_MAX })).items.map(({ name }) => name),
  subscription: async (asked) => {
    const { client, orgName, repoName } = openRepo(asked);
    return (await client.subscription.list(orgName, repoName, { limit: NAMES_MAX })).items.map(({ name }) => name);
  },
  credential: async (asked) => {
    const { client, orgName, repoName } = openRepo(asked);
    return (await client.credential.list(orgName, repoName, { limit: NAMES_MAX })).items.map(({ name }) => name);
  },
  'repo checkpoint': async (asked) => {
    const { client, orgName, repoName } = openRepo(asked);
    return (await client.repo.checkpoints(orgName, repoName, { limit: NAMES_MAX })).items.map(({ name }) => name);
  },
};

export async function namesFor(io: Io, line: Line): Promise<readonly string[]> {
  if (line.wanted.kind !== 'value') return [];
  const { name, noun } = line.wanted;
  const source = SOURCES[name] ?? (name === 'name' || name === 'credential-set' ? NAMED[noun] : undefined);
  if (source === undefined) return [];
  try {
    return await source({ io, line });
  } catch {
    return [];
  }
}

function open({ io, line: { flags } }: Asked): CairnClient {
  const { client } = openImpatient(io, {
    ...(flags['--url'] !== undefined && { url: flags['--url'] }),
    ...(flags['--profile'] !== undefined && { profile: flags['--profile'] }),
  });
  return client;
}

function openRepo(asked: Asked) {
  const { io, line } = asked;
  const repo = line.flags['--repo'];
  const chosen = chooseRepo(io, repo === undefined ? {} : { repo });
  if (chosen === undefined) throw new Error('No repository is chosen.');
  return { client: open(asked), ...parseRepoName(chosen.repo) };
}

async function organizations(asked: Asked): Promise<string[]> {
  const { items } = await open(asked).org.list({ limit: NAMES_MAX });
  return items.map(({ name }) => name);
}

/** Those of one organization, once its name is written. */
async function repositories(asked: Asked): Promise<string[]> {
  const { current } = asked.line;
  const [orgName] = current.split('/');
  const within = current.includes('/') && orgName !== undefined ? { orgName } : {};
  const { items } = await open(asked).repo.list({ ...within, limit: NAMES_MAX });
  return items.map((repo) => `${repo.orgName}/${repo.name}`);
}

async function shapes(asked: Asked): Promise<string[]> {
  const { client, orgName, repoName } = openRepo(asked);
  const { items } = await client.shape.list(orgName, repoName, { limit: NAMES_MAX });
  return items.map(({ name }) => name);
}

async function shapePrefixes(asked: Asked): Promise<string[]> {
  return (await shapes(asked)).map((name) => `${name}/`);
}

/** First the shape, then its records: there may be millions. */
async function records(asked: Asked): Promise<string[]> {
  const { current } = asked.line;
  if (!current.includes('/')) return await shapePrefixes(asked);
  if (!/^[\w./-]+$/.test(current)) return [];
  const { client, orgName, repoName } = openRepo(asked);
  const { items } = await client.thing.head(orgName, repoName, {
    match: `${current}**`,
    order: 'name',
    limit: RECORDS_MAX,
  });
  return items.map(({ name }) => name);
}
