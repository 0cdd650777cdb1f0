// Calls procedures as a request would, but without HTTP: it validates the input, looks up the bearer, and runs the
// operation for that principal. It is many times faster, so tests can make very many calls.

import { CairnError, type ErrorFields } from '@cairn/protocol/errors';
import { DEFAULT_LIMITS } from '@cairn/protocol/limits';
import { PROCEDURES, type ProcedureArguments, type ProcedureOutput } from '@cairn/protocol/procedures';
import type { Context } from '../../../packages/server/src/access/context.ts';
import { authenticate, type Principal } from '../../../packages/server/src/access/principal.ts';
import { checkOrgPermission, checkRepoPermission } from '../../../packages/server/src/access/whoami.ts';
import { createOutbound } from '../../../packages/server/src/action/delivery/client.ts';
import { getCommit, logCommits, submitCommit, validateCommit } from '../../../packages/server/src/commit/commit.ts';
import { AccessView } from '../../../packages/server/src/engine/access-epoch.ts';
import { openBlobStore } from '../../../packages/server/src/export/blob-store.ts';
import { getGraph, getRefs } from '../../../packages/server/src/graph/reference.ts';
import { SigningKeys } from '../../../packages/server/src/keys/signing-keys.ts';
import { getChanges, getDiff } from '../../../packages/server/src/read/change.ts';
import { getHistory, getNames, getThing, getThings } from '../../../packages/server/src/read/thing.ts';
import { describeRepo, getContent, repoStats } from '../../../packages/server/src/repository/content.ts';
import { getOrg, listOrgs } from '../../../packages/server/src/repository/organization.ts';
import { getRepo, listRepos } from '../../../packages/server/src/repository/repository.ts';
import { deriveKeys } from '../../../packages/server/src/server.ts';
import { getShape, getShapeHistory, listShapes } from '../../../packages/server/src/shape/shape.ts';
import type { Store } from '../../../packages/server/src/store.ts';
import { TEST_SECRET, TEST_URL } from '../principal.ts';

const ASKED = {
  'access.checkRepoPermission': checkRepoPermission,
  'access.checkOrgPermission': checkOrgPermission,
  'thing.get': async (context, input) => await getThing(context, input),
  'thing.getMany': getThings,
  'thing.history': getHistory,
  'thing.names': getNames,
  'thing.refs': getRefs,
  'thing.graph': getGraph,
  'thing.changes': getChanges,
  'thing.diff': getDiff,
  'shape.get': getShape,
  'shape.list': listShapes,
  'shape.history': getShapeHistory,
  'commit.get': getCommit,
  'commit.log': logCommits,
  'commit.validate': validateCommit,
  'commit.submit': submitCommit,
  'repo.get': getRepo,
  'repo.stats': repoStats,
  'repo.describe': describeRepo,
  'repo.getContent': getContent,
  'repo.list': listRepos,
  'org.get': getOrg,
  'org.list': listOrgs,
} satisfies {
  [Name in AskedName]: (context: Context, input: ProcedureArguments<Name>) => Promise<ProcedureOutput<Name>>;
};

export type AskedName =
  | 'access.checkRepoPermission'
  | 'access.checkOrgPermission'
  | 'thing.get'
  | 'thing.getMany'
  | 'thing.history'
  | 'thing.names'
  | 'thing.refs'
  | 'thing.graph'
  | 'thing.changes'
  | 'thing.diff'
  | 'shape.get'
  | 'shape.list'
  | 'shape.history'
  | 'commit.get'
  | 'commit.log'
  | 'commit.validate'
  | 'commit.submit'
  | 'repo.get'
  | 'repo.stats'
  | 'repo.describe'
  | 'repo.getContent'
  | 'repo.list'
  | 'org.get'
  | 'org.list';

export interface Answer {
  readonly text: string;
  readonly error?: ErrorFields;
}

export type Ask = (name: AskedName, input: object) => Promise<Answer>;

const keys = deriveKeys(TEST_SECRET);
/** No procedure called here touches a file. */
const blobs = openBlobStore(
  {
    kind: 's3',
    bucket: 'none',
    prefix: '',
    endpoint: 'http://localhost:1',
    region: 'none',
    pathStyle: true,
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
  },
  { key: keys.cursor, publicUrl: TEST_URL },
);

export async function principalOf(store: Store, bearer: string): Promise<Principal> {
  const signingKeys = new SigningKeys({ reader: store.database, secret: TEST_SECRET });
  const verification = { store, signingKeys, settings: { publicUrl: TEST_URL } };
  return await authenticate(verification, {
    authorization: `Bearer ${bearer}`,
    path: '/trpc',
    view: new AccessView(0),
  });
}

export function asker(store: Store, principal: Principal): Ask {
  const settings = {
    limits: DEFAULT_LIMITS,
    publicUrl: TEST_URL,
    orgCreation: 'operators',
    webhookRetrySeconds: [],
  } as const;
  const outbound = createOutbound({ allow: [] });
  const context: Context = { store, blobs, keys, principal, outbound, origin: {}, ...settings };
  return async (name, input) => {
    const operation = ASKED[name] as (context: Context, input: unknown) => Promise<unknown>;
    try {
      return { text: JSON.stringify(await operation(context, PROCEDURES[name].input.parse(input))) };
    } catch (error) {
      if (!(error instanceof CairnError)) throw error;
      return { text: JSON.stringify(error.fields), error: error.fields };
    }
  };
}

const parsed = new WeakMap<Answer, unknown>();

export function parsedText(answer: Answer): unknown {
  if (!parsed.has(answer)) parsed.set(answer, JSON.parse(answer.text));
  return parsed.get(answer);
}

export function dataOf<Name extends AskedName>(_: Name, answer: Answer): ProcedureOutput<Name> {
  if (answer.error !== undefined) throw new Error(answer.text);
  return parsedText(answer) as ProcedureOutput<Name>;
}
