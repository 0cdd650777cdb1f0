import { pathText } from './path-text.ts';
// What the server says against a change, with fields named as forms name them.

export interface Detail {
  /** A JSON pointer, or names with dots between them. */
  readonly path: string;
  readonly message: string;
}

export const isDetail = (value: unknown): value is Detail =>
  typeof value === 'object' &&
  value !== null &&
  'path' in value &&
  typeof value.path === 'string' &&
  'message' in value &&
  typeof value.message === 'string';

/** With a slash before each step. */
export const pointerOf = ({ path }: Detail): string =>
  path.startsWith('/') || path === '' ? path : `/${path.replaceAll('.', '/')}`;

/** `/data/stars` is the field `stars`. */
export function detailText(detail: Detail): string {
  const field = pathText(pointerOf(detail).replace(/^\/data(?=\/)/, ''));
  return field === '' ? detail.message : `${field}: ${detail.message}`;
}

/** Sentences follow each other; what is none has a mark between. */
export const joined = (texts: readonly string[]): string =>
  texts.reduce((all, one) => `${all}${all.endsWith('.') ? '' : ';'} ${one}`);

/** All of it in one text. */
export function refusalText({ message, details }: { readonly message: string; readonly details?: unknown }): string {
  const told = Array.isArray(details) ? details.filter(isDetail) : [];
  return told.length === 0 ? message : joined(told.map(detailText));
}
