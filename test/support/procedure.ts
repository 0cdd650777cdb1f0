// Procedures called over HTTP on an app without a port, as `curl` would call them.
import { PROCEDURE_KINDS, type ProcedureName } from '@cairn/protocol/procedure-kinds';
import type { ProcedureInput, ProcedureOutput } from '@cairn/protocol/procedures';
import { SCOPE_NAMES, type Scope } from '@cairn/protocol/scopes';
import { createToken } from '../../packages/server/src/account/account.ts';
import type { Store } from '../../packages/server/src/store.ts';
import { createPerson } from './person.ts';
import { createOwnerToken, OWNER, type TestApp } from './server.ts';

export interface ProcedureAnswer<Name extends ProcedureName> {
  readonly status: number;
  /** The text of the body, to be compared byte for byte. */
  readonly body: string;
  readonly headers: Headers;
  /** What it answered, or fails the test with what it answered instead. */
  data(): ProcedureOutput<Name>;
  /** The code of its refusal; `undefined` when it did not refuse. */
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

/** Longer targets are refused: Node takes 16 KiB with all headers. A query may be sent as a body too. */
const QUERY_CHARACTERS_MAX = 8_000;

function send(app: TestApp['app'], { name, input, headers }: Call) {
  const query = `?input=${encodeURIComponent(JSON.stringify(input))}`;
  if (PROCEDURE_KINDS[name] === 'query' && query.length < QUERY_CHARACTERS_MAX) {
    return app.request(`/trpc/${name}${query}`, { headers });
  }
  return app.request(`/trpc/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(input),
  });
}

/** One token of each kind of principal that authorization tells apart. */
export interface Principals {
  readonly anonymous: undefined;
  /** An operator whose token may do everything. */
  readonly operator: string;
  /** An operator whose token reaches everything, to write records alone. */
  readonly writer: string;
  /** An operator whose token may do everything, in a place where the operator has no role. */
  readonly elsewhere: string;
  /** Another account, whose token may do whatever the account may. */
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
  /** By default all. */
  readonly permissions?: readonly Scope[];
}

/** A token of the server's owner with one entry. */
export async function createScopedToken(store: Store, { name, resource, permissions }: ScopedToken): Promise<string> {
  const entry = { ...(resource !== undefined && { resource }), permissions: [...(permissions ?? SCOPE_NAMES)] };
  const { token } = await createToken(store, { email: OWNER.email, name, scopes: [entry] });
  return token;
}
