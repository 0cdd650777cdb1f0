// Command-line options of runs that are started by hand.
import type { Engine } from '../../packages/server/src/engine/database.ts';

export function engineOf(text: string): Engine {
  if (text === 'sqlite' || text === 'postgres') return text;
  throw new Error(`--engine takes sqlite or postgres, and not ${text}.`);
}

export function numberOf(option: string, text: string): number {
  const number = Number(text);
  if (text.trim() !== '' && Number.isFinite(number) && number >= 0) return number;
  throw new Error(`--${option} takes a number from 0, and not ${JSON.stringify(text)}.`);
}
