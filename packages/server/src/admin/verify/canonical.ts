// RFC 8785 written down a second time: keys in the order of their UTF-16 code units, no white space.
import { hash } from 'node:crypto';

export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  const keys = Object.keys(value).sort((a, b) => (a < b ? -1 : 1));
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(Reflect.get(value, key))}`).join(',')}}`;
}

export const sha256 = (text: string): Uint8Array => hash('sha256', text, 'buffer');
