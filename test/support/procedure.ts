// Procedures called over HTTP on an app without a port, as `curl` would call them.
import { type ProcedureName, QUERIES } from '@cairn/protocol/procedure-kinds';
import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import { SCOPE_NAMES, type Scope } from '@cairn/protocol/scopes';
import { createToken } from '../../packages/server/src/account/account.ts';
import type { Store } from '../../packages/server/src/store.ts';
import { createPerson } from './person.ts';
import { createOwnerToken, OWNER, type TestApp } from './server.ts';

export interface ProcedureAnswer<Name extends ProcedureName> {
  readonly status: number;
  readonly body: string;
  readonly headers: Headers;
  /** The output. Fails the test with the actual answer if there is none. */
  data(): ProcedureOutput<Name>;
  readonly code: string | undefined;
  readonly message: string | undefined;
}

export type CallProcedure = <Name extends ProcedureName>(
  name: Name,
  input: ProcedureInput<Name>,
) => Promise<ProcedureAnswer<Name>>;

export function caller(app: TestApp['app'], token?: string): CallProcedure {
  return async (name, input) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const answer = await send(app, { name, input, headers });
    const body = await answer.text();
    const parsed = JSON.parse(body);
    return {
      status: answer.status,
      body,
      headers: answer.headers,
      code: parsed.error?.data.cairn.code,
      message: parsed.error?.data.cairn.message,
      data: () => {
        if (answer.status !== 200) throw new Error(`${name} answered ${answer.status}: ${body}`);
        return parsed.result.data;
      },
    };
  };
}

interface Call {
  readonly name: ProcedureName;
  readonly input: unknown;
  readonly headers: Record<string, string>;
}

/** Longer queries go into the body, because Node refuses more than 16 KiB with all headers. */
const QUERY_CHARACTERS_MAX = 8_000;

function send(app: TestApp['app'], { name, input, headers }: Call) {
  const query = `?input=${encodeURIComponent(JSON.stringify(input))}`;
  if (QUERIES.has(name) && query.length < QUERY_CHARACTERS_MAX) {
    return app.request(`/trpc/${name}${query}`, { headers });
  }
  return app.request(`/trpc/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(input),
  });
}

/** One token per kind of principal that authorization distinguishes. */
export interface Principals {
  readonly anonymous: undefined;
  /** An operator whose token may do everything. */
  readonly operator: string;
  /** An operator whose token covers everything, but only to write records. */
  readonly writer: string;
  /** An operator whose token may do everything, in a place where the operator has no role. */
  readonly elsewhere: string;
  readonly other: string;
}

export async function createPrincipals(store: Store): Promise<Principals> {
  const operator = await createOwnerToken(store);
  const writer = await createScopedToken(store, { name: 'writer', permissions: ['repo:write'] });
  const email = 'eve@example.com';
  await createPerson(store, { email, password: 'long enough it is', operator: false });
  const elsewhere = await createScopedToken(store, { name: 'elsewhere', resource: 'eve' });
  const { token: other } = await createToken(store, {
    email,
    name: 'all',
    scopes: [{ permissions: [...SCOPE_NAMES] }],
  });
  return { anonymous: undefined, operator, writer, elsewhere, other };
}

export interface ScopedToken {
  readonly name: string;
  readonly resource?: string;
  readonly permissions?: readonly Scope[];
}

export async function createScopedToken(store: Store, { name, resource, permissions }: ScopedToken): Promise<string> {
  const entry = { ...(resource !== undefined && { resource }), permissions: [...(permissions ?? SCOPE_NAMES)] };
  const { token } = await createToken(store, { email: OWNER.email, name, scopes: [entry] });
  return token;
}
