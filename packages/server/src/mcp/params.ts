// What the methods of the protocol are given, beside tools. Said here so that what is not of this form is the caller's mistake
// (-32602), in our own words: by its own schemas the SDK would call it a fault of the server.
import { wordsOf } from '@cairn/protocol/input-words';
import type { StandardSchemaV1 } from '@modelcontextprotocol/server';
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

/** What is sent with `tools/call`; the arguments are the tool's to read. */
export const TOOL_CALL = z.looseObject({ name: z.string(), arguments: z.looseObject({}).optional() });

/** As the SDK takes them. */
export const PAGE = { params: inOurWords(page) };
/** No cursor was ever given out for these lists. */
export const WHOLE = {
  params: inOurWords(z.looseObject({ cursor: z.undefined('this list has one page alone').optional() })),
};
export const RESOURCE = { params: inOurWords(z.looseObject({ uri: z.string() })) };
export const PROMPT = { params: inOurWords(z.looseObject({ name: z.string(), arguments: texts.optional() })) };
export const COMPLETION = { params: inOurWords(complete) };

function inOurWords<Schema extends z.ZodType>(schema: Schema): StandardSchemaV1<z.input<Schema>, z.output<Schema>> {
  const validate = (value: unknown) => {
    const { data, error } = schema.safeParse(value);
    if (error === undefined) return { value: data as z.output<Schema> };
    return { issues: error.issues.map((issue) => ({ path: issue.path, message: wordsOf(issue) })) };
  };
  return { '~standard': { version: 1, vendor: 'cairn', validate } };
}
