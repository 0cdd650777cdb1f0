// A read of a list as the caller means it, and in the form sent: an address, or the input of a procedure.

import type { MEMBER_ROLES, ORDERS, WhereOp } from '@cairn/protocol/read';
import type { RECORD_KINDS } from '@cairn/protocol/vocabulary';
import type { Address } from './world.ts';

export interface SentPredicate {
  readonly fieldPath: string;
  readonly op: WhereOp;
  readonly rhs?: unknown;
  readonly form: 'short' | 'json';
}

export interface ReadRequest {
  readonly route: 'head' | 'query' | 'about';
  readonly wref?: string;
  readonly shape?: string;
  readonly kind?: (typeof RECORD_KINDS)[number];
  readonly match?: string;
  readonly where?: readonly SentPredicate[];
  readonly includeRetracted?: boolean;
  readonly atRepoSeq?: number;
  readonly order?: (typeof ORDERS)[number];
  readonly fields?: readonly string[];
  readonly count?: boolean;
  readonly about?: string;
  readonly resolveCollections?: boolean;
  readonly role?: (typeof MEMBER_ROLES)[number];
  readonly depth?: number;
}

export interface PagePlace {
  readonly limit?: number;
  readonly cursor?: string | undefined;
}

/** `path:op:value`; list values are joined by commas. */
export function shortPredicate({ fieldPath, op, rhs }: SentPredicate): string {
  if (rhs === undefined) return `${fieldPath}:${op}`;
  return `${fieldPath}:${op}:${Array.isArray(rhs) ? rhs.map(String).join(',') : String(rhs)}`;
}

const longPredicate = ({ form: _, ...predicate }: SentPredicate) => predicate;

export function inputOf(request: ReadRequest, address: Address, { limit, cursor }: PagePlace = {}): object {
  const { route: _, where, ...rest } = request;
  return {
    ...address,
    ...rest,
    ...(where && { where: where.map((one) => (one.form === 'short' ? shortPredicate(one) : longPredicate(one))) }),
    ...(limit !== undefined && { limit }),
    ...(cursor !== undefined && { cursor }),
  };
}

export function urlOf(request: ReadRequest, { orgName, repoName }: Address, { limit, cursor }: PagePlace = {}): string {
  const { route, wref, where = [], fields, ...rest } = request;
  const plain = Object.entries({ ...rest, limit, cursor, fields: fields?.join(',') });
  const given = plain.flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)] as const]));
  const short = where.filter(({ form }) => form === 'short').map((one) => ['where', shortPredicate(one)] as const);
  const long = where.filter(({ form }) => form === 'json').map(longPredicate);
  const text = long.length > 0 ? [['where', JSON.stringify(long)] as const] : [];
  const query = [...given, ...short, ...text].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const place = wref === undefined ? route : `${route}/${encodeWref(wref)}`;
  return `/api/repos/${orgName}/${repoName}/${place}${query === '' ? '' : `?${query}`}`;
}

/** Encodes the wref as one segment or with its slashes, depending on its length. */
function encodeWref(wref: string): string {
  return wref.length % 2 === 0 ? encodeURIComponent(wref) : wref.split('/').map(encodeURIComponent).join('/');
}
