// A shape as people read it: its name, how many records it has, and a line for each field.
import type { ShapeDescription } from '@cairn/sdk';
import { oneLine } from './shown.ts';

export function shapeText({ name, count, version, description, fields }: ShapeDescription): string {
  const records = count === 1 ? '1 record' : `${count} records`;
  const said = description === undefined ? '' : `: ${oneLine(description)}`;
  return [`${name} (${records}, version ${version})${said}`, ...fieldLines(fields)].join('\n');
}

function fieldLines(fields: unknown): string[] {
  const entries = Object.entries(fields as object);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  const typeText = (type: unknown) => (typeof type === 'string' ? type : JSON.stringify(type));
  return entries.map(([name, type]) => `  ${name.padEnd(width)}  ${typeText(type)}`);
}
