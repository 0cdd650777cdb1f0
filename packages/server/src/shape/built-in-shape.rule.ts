// What is particular about the shapes that every repository has.
import { BUILT_IN_SHAPES } from '@cairn/protocol/built-in-shape';

export const CONTENT_BYTES_MAX = 65_536;

export function isBuiltInShape(name: string): boolean {
  return Object.hasOwn(BUILT_IN_SHAPES, name);
}

/** Built-in shapes whose records are not written by commits: what writes them instead. */
export const GUARDED_SHAPES: Readonly<Record<string, string>> = {
  ComponentInstall: 'component operations',
};
