// The procedures that only read: they are queries, and all others are mutations. A plain table without zod, because the
// SDK needs it at run time; procedures.ts has the inputs and outputs.
import type { PROCEDURES } from './procedures.ts';

export type ProcedureName = keyof typeof PROCEDURES;
type Noun<Name = ProcedureName> = Name extends `${infer Noun}.${string}` ? Noun : never;
type Verb<Of extends string, Name = ProcedureName> = Name extends `${Of}.${infer Verb}` ? Verb : never;

const VERBS: { readonly [Of in Noun]: readonly Verb<Of>[] } = {
  auth: ['whoami', 'listSessions'],
  access: ['checkRepoPermission', 'checkOrgPermission'],
  org: ['get', 'list', 'listMembers'],
  repo: ['get', 'list', 'listRoles', 'stats', 'describe', 'getContent', 'checkpoints'],
  shape: ['list', 'get', 'history'],
  thing: [
    'head',
    'get',
    'getMany',
    'history',
    'names',
    'query',
    'about',
    'refs',
    'graph',
    'search',
    'count',
    'changes',
    'diff',
  ],
  commit: ['validate', 'get', 'log', 'receipt'],
  export: ['status'],
  import: [],
  stream: ['status'],
  live: [],
  subscription: ['list', 'get', 'preview'],
  action: ['runs', 'attempts', 'notifications'],
  credential: ['list', 'get', 'audit'],
  component: ['registry', 'view', 'list', 'get', 'doctor'],
  audit: ['list'],
  token: ['list', 'get'],
  diagnostics: ['capabilities'],
};

export const QUERIES: ReadonlySet<string> = new Set(
  Object.entries(VERBS).flatMap(([noun, verbs]) => verbs.map((verb) => `${noun}.${verb}`)),
);
