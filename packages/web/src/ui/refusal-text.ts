import { pathText } from './path-text.ts';

interface Detail {
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

export const pointerOf = ({ path }: Detail): string =>
  path.startsWith('/') || path === '' ? path : `/${path.replaceAll('.', '/')}`;

export function fieldDetailText(detail: Detail): string {
  const field = pathText(pointerOf(detail).replace(/^\/data(?=\/)/, ''));
  return field === '' ? detail.message : `${field}: ${detail.message}`;
}

export const joinTexts = (texts: readonly string[]): string =>
  texts.reduce((all, one) => `${all}${all.endsWith('.') ? '' : ';'} ${one}`);

export function refusalText({ message, details }: { readonly message: string; readonly details?: unknown }): string {
  const told = Array.isArray(details) ? details.filter(isDetail) : [];
  return told.length === 0 ? message : joinTexts(told.map(fieldDetailText));
}
