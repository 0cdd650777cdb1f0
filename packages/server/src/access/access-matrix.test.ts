// Every kind of caller against every procedure and route, checked with an independent oracle (test/support/access).

import type { ProcedureName } from '@cairn/protocol/procedure-kinds';
import { PROCEDURE_NAMES } from '@cairn/protocol/procedures';
import { ROUTES, type RouteKey, routeAddress } from '@cairn/protocol/routes';
import type { Access } from '@cairn/protocol/scopes';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../test/spec/verifies.ts';
import { INPUTS, repo } from '../../../../test/support/access/input.ts';
import { type Expected, expectedAtOnce, expectedOf, expectedOfRoute } from '../../../../test/support/access/oracle.ts';
import {
  type Caller,
  createCallers,
  createWorld,
  HOME,
  SECRET,
  TARGETS,
  type Target,
} from '../../../../test/support/access/world.ts';
import { createSession } from '../../../../test/support/principal.ts';
import { type CallProcedure, caller } from '../../../../test/support/procedure.ts';
import { createOwnerToken, createTestApp, ownerIdOf, type TestApp } from '../../../../test/support/server.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import type { Engine } from '../engine/database.ts';

interface Answered {
  readonly status: number;
  readonly body: string;
  readonly headers: Headers;
}

const NOT_SEEN = /The (repository|organization|run)( or the record of the wref)? does not exist, or you may not see it/;

const headersOf = ({ headers }: Answered) => [...headers].filter(([name]) => name !== 'x-request-id');

function check(expected: Expected, answer: Answered, about: readonly string[]): void {
  const refused = answer.status === 401 || answer.status === 403 || NOT_SEEN.test(answer.body);
  if (expected === 'allowed') {
    expect([...about, refused || answer.status >= 500 ? answer.body : '']).toEqual([...about, '']);
    return;
  }
  expect([...about, answer.status]).toEqual([...about, expected.status]);
  expect([...about, answer.body.includes(SECRET)]).toEqual([...about, false]);
  if (expected.status === 401) expect(answer.headers.get('www-authenticate')).toContain('resource_metadata=');
  if (expected.status === 404) expect(answer.body).toMatch(NOT_SEEN);
  const { missing, withheldBy } = expected;
  if (missing === undefined) return;
  const details = { missing, ...(withheldBy !== undefined && { withheldBy }) };
  expect([...about, JSON.parse(answer.body).error.data.cairn.details]).toEqual([...about, details]);
}

async function prepare(engine: Engine) {
  const { app, store } = await createTestApp(engine);
  await createOwnerToken(store);
  const owner = caller(app, (await createSession(store, { accountId: await ownerIdOf(store) })).token);
  await createWorld(store, owner);
  return { app, store, owner, callers: await createCallers(store, owner) };
}

async function callRoute(app: TestApp['app'], key: RouteKey, token: string | undefined): Promise<Answered> {
  const { method, path } = routeAddress(key);
  const filled = path
    .replace(/:org(Name)?\b/, HOME.orgName)
    .replace(/:repo(Name)?\b/, HOME.repoName)
    .replaceAll(/:\w+/g, 'x');
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await app.request(filled, { method, headers });
  return { status: answer.status, body: await answer.text(), headers: answer.headers };
}

interface Trial {
  readonly name: ProcedureName;
  readonly one: Caller;
  readonly call: CallProcedure;
  readonly unknown: () => Promise<Answered>;
}

function trialOf(app: TestApp['app'], name: ProcedureName, one: Caller): Trial {
  const call = caller(app, one.token);
  let answer: Promise<Answered> | undefined;
  const unknown = () => {
    answer ??= call(name, INPUTS[name](MISSING) as never);
    return answer;
  };
  return { name, one, call, unknown };
}

async function tryOn({ name, one, call, unknown: askUnknown }: Trial, target: Target): Promise<Answered> {
  const about = [name, one.name, `${target.orgName}/${target.repoName}`];
  const answer = await call(name, INPUTS[name](target) as never);
  const expected = expectedOf(name, one, target);
  check(expected, answer, about);
  const elsewhere = name === 'repo.transfer' && answer.body.includes('organization');
  if (expected === 'allowed' || expected.status !== 404 || elsewhere) return answer;
  const unknown = await askUnknown();
  expect([...about, answer.body, headersOf(answer)]).toEqual([...about, unknown.body, headersOf(unknown)]);
  return answer;
}

const MISSING = TARGETS.find(({ visibility }) => visibility === 'none') as Target;

/** Procedures with rules of their own (spec 4.4, tickets, other tokens, codes, signatures), or tested below. */
const HAS_OWN_RULES = /\/(submissions|metrics|actions\/.*|export|sse|(auth|oauth)\/[\w/:-]+|downloads\/.*)$/;

describe.each(UPPER_ENGINES)('callers on %s', (engine) => {
  it(
    verifies(
      'may do with each procedure what the table declares, and learn nothing else',
      '5/role-org',
      '5/role-repo',
      '5/scope-per-repo',
      '5/scope-per-org',
      '5/scopes-independent',
    ),
    async () => {
      const { app, owner, callers } = await prepare(engine);
      for (const name of PROCEDURE_NAMES) {
        for (const one of callers) {
          const trial = trialOf(app, name, one);
          for (const target of TARGETS) {
            const { status } = await tryOn(trial, target);
            if (name === 'repo.delete' && status === 200) await owner('repo.restore', repo(target));
          }
        }
        for (const orgName of ['acme', 'quiet']) await owner('org.unarchive', { orgName });
      }
    },
  );

  it(
    verifies(
      'are refused by each route as the table declares, before anything is looked up',
      '5/component-bound-elsewhere',
    ),
    async () => {
      const { app, callers } = await prepare(engine);
      for (const key of (Object.keys(ROUTES) as RouteKey[]).filter((route) => !HAS_OWN_RULES.test(route))) {
        const access: Access = ROUTES[key].access;
        for (const one of callers) {
          const { status } = await callRoute(app, key, one.token);
          const expected = expectedAtOnce(one, access);
          const refused = status === 401 || status === 403 ? status : undefined;
          const due = expected === undefined || expected === 'allowed' ? undefined : expected.status;
          expect([key, one.name, refused]).toEqual([key, one.name, due]);
        }
      }
    },
  );

  it('may look at runs as the table declares', async () => {
    const { app, callers } = await prepare(engine);
    for (const key of (Object.keys(ROUTES) as RouteKey[]).filter((route) => route.includes('/actions/'))) {
      for (const one of callers) {
        const { status } = await callRoute(app, key, one.token);
        const expected = expectedOfRoute(ROUTES[key].access, one);
        const allowed = key.endsWith('/attempts') ? 404 : 200;
        expect([key, one.name, status]).toEqual([key, one.name, expected === 'allowed' ? allowed : expected.status]);
      }
    }
  });

  it('may export as the table declares', async () => {
    const { app, callers } = await prepare(engine);
    const key = 'GET /api/repos/:orgName/:repoName/export';
    for (const one of callers) {
      const { status, body } = await callRoute(app, key, one.token);
      const expected = expectedOfRoute(ROUTES[key].access, one);
      expect([one.name, status]).toEqual([one.name, expected === 'allowed' ? 200 : expected.status]);
      if (status === 403 && one.kind !== 'account') expect(body).toContain('export-component-token');
    }
  });
});
