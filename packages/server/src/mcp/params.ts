// What the methods of the protocol are given, beside tools. Said here so that what is not of this form is the caller's mistake
// (-32602): by its own schemas the SDK would call it a fault of the server.
import { z } from 'zod';

const page = z.looseObject({ cursor: z.string().optional() });
const texts = z.record(z.string(), z.string());

const completed = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('ref/prompt'), name: z.string() }),
  z.looseObject({ type: z.literal('ref/resource'), uri: z.string() }),
]);

const complete = z.looseObject({
  ref: completed,
  argument: z.looseObject({ name: z.string(), value: z.string() }),
  context: z.looseObject({ arguments: texts.optional() }).optional(),
});

export type Completion = z.infer<typeof complete>;

/** As the SDK takes them. */
export const PAGE = { params: page };
/** No cursor was ever given out for these lists. */
export const WHOLE = { params: z.looseObject({ cursor: z.undefined('this list has one page alone').optional() }) };
export const RESOURCE = { params: z.looseObject({ uri: z.string() }) };
export const PROMPT = { params: z.looseObject({ name: z.string(), arguments: texts.optional() }) };
export const COMPLETION = { params: complete };
