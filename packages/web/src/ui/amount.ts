import { isJsonObject } from '@cairn/model/json';
import { timeText } from '@cairn/model/time-text';

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

export function bytesText(bytes: number): string {
  const power = bytes < 1_000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const amount = bytes / 1_000 ** power;
  return `${amount.toLocaleString('en', { maximumFractionDigits: power === 0 ? 0 : 1 })} ${UNITS[power]}`;
}

export const recordsText = (count: number): string =>
  count === 1 ? '1 record' : `${count.toLocaleString('en')} records`;

// `createdBy` as stored: `user:ada`, `token:ada/laptop`, `component:acme/word-count`, `subscription:signals`.

const FORM = /^(user|token|component|subscription):([^/]+)(?:\/(.*))?$/s;

export function authorOf(createdBy: string): { readonly name: string; readonly by?: string } {
  const [, kind, name = createdBy, rest] = FORM.exec(createdBy) ?? [];
  if (kind === 'token') return { name, by: rest === undefined ? 'a token' : `token ${rest}` };
  if (kind === 'component') return { name: rest === undefined ? name : `${name}/${rest}`, by: 'a component' };
  return kind === 'subscription' ? { name, by: 'a subscription' } : { name };
}

export interface Detail {
  readonly name: string;
  readonly label: string;
  readonly text: string;
}

export const detailsOf = (details: Readonly<Record<string, unknown>>): readonly Detail[] =>
  Object.entries(details).map(([name, value]) => ({ name, label: labelOf(name), text: detailText(name, value) }));

/** `repoName` becomes `repo name`. Other names such as `Signal/a` or `WEBHOOK_API_KEY` stay. */
const labelOf = (name: string): string =>
  /^[a-z][A-Za-z]*$/.test(name) ? name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`) : name;

function detailText(name: string, value: unknown): string {
  if (value === null || value === undefined) return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return name.endsWith('At') ? timeText(value) : value.toLocaleString('en');
  if (Array.isArray(value)) return listText(value.map((one) => detailText(name, one)));
  if (!isJsonObject(value)) return String(value);
  return listText(Object.entries(value).map(([key, one]) => `${labelOf(key)} ${detailText(key, one)}`));
}

const listText = (texts: readonly string[]): string => (texts.length === 0 ? 'none' : texts.join(', '));
