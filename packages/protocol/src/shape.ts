// Shapes on the wire.
import { z } from 'zod';
import { recordItem } from './record.ts';

export const shapeItem = recordItem.extend({
  indexes: z
    .array(z.object({ path: z.string(), state: z.enum(['building', 'ready']) }))
    .describe('The indexed fields. While one is building, filters on it work without the index.'),
});

/** A shape at one version, with the state of its indexes. */
export type ShapeItem = z.infer<typeof shapeItem>;

/** What `shape.create` and `shape.revise` take, beside the repository's address. */
export const shapeInput = {
  name: z.string(),
  // Checked by the server as a whole; a schema here would lose a field named __proto__.
  fields: z.unknown().describe('The whole field set, such as { "x": "number", "label?": "string" }.'),
  description: z.string().optional(),
};
