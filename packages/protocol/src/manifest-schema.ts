// The manifest of a component as JSON Schema, for editors and for checks elsewhere.
import { z } from 'zod';
import { manifest } from './manifest.ts';

export function manifestSchema(publicUrl: string): Record<string, unknown> {
  return {
    ...z.toJSONSchema(manifest, { io: 'input', unrepresentable: 'any' }),
    $id: `${publicUrl}/docs/component-manifest.json`,
    title: 'The manifest of a Cairn component',
  };
}
