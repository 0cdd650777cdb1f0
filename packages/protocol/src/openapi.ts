// The route table as an OpenAPI 3.1 document.
import { z } from 'zod';
import { ERRORS } from './errors.ts';
import type { RouteRow } from './route-row.ts';
import { ROUTES, type RouteKey, routeAddress } from './routes.ts';
import { VERSION } from './version.ts';

type Json = Record<string, unknown>;

export function openApiDocument(publicUrl: string): Json {
  const paths: Record<string, Json> = {};
  for (const key of Object.keys(ROUTES) as RouteKey[]) {
    const { method, path } = routeAddress(key);
    const template = path.replaceAll(/:(\w+)/g, '{$1}');
    paths[template] = { ...paths[template], [method.toLowerCase()]: operation(key) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cairn',
      version: VERSION,
      description: 'Versioned, structured knowledge. Management and writes are procedures at /trpc, not REST routes.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { Error: errorSchema() },
    },
  };
}

function operation(key: RouteKey): Json {
  const row: RouteRow = ROUTES[key];
  return {
    operationId: operationId(key),
    tags: [row.tag],
    summary: row.summary,
    description: `Auth: ${row.auth}.`,
    ...(row.bearer !== 'none' && { security: [{ bearer: [] }, ...(row.bearer === 'optional' ? [{}] : [])] }),
    parameters: [...pathParameters(routeAddress(key).path), ...queryParameters(row)],
    ...(row.body !== undefined && { requestBody: requestBody(row.body) }),
    responses: { ...answers(row), default: errorAnswer() },
  };
}

function operationId(key: RouteKey): string {
  const words = key.toLowerCase().match(/[a-z]+/g) ?? [];
  return words.map((word, index) => (index === 0 ? word : word[0]?.toUpperCase() + word.slice(1))).join('');
}

function pathParameters(path: string): Json[] {
  const names = [...path.matchAll(/:(\w+)/g)].map((match) => match[1]);
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function requestBody(body: z.ZodType): Json {
  const schema = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' });
  return { required: true, content: { 'application/json': { schema } } };
}

function queryParameters(row: RouteRow): Json[] {
  if (row.query === undefined) return [];
  const schema = z.toJSONSchema(row.query, { io: 'input' });
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    in: 'query',
    required: schema.required?.includes(name) ?? false,
    schema: property,
  }));
}

function answers(row: RouteRow): Json {
  return mapValues(row.answers, ({ description, content }) => ({
    description,
    content: mapValues(content, (schema) => (schema === undefined ? {} : { schema: jsonSchema(schema) })),
  }));
}

function mapValues<Value>(table: Readonly<Record<string, Value>>, change: (value: Value) => Json): Json {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, change(value)]));
}

function jsonSchema(schema: z.ZodType): Json {
  const made: Json = z.toJSONSchema(schema);
  // One dialect stands at the head of the document; a schema inside it says none.
  delete made.$schema;
  return made;
}

function errorAnswer(): Json {
  return {
    description: 'Any refusal or failure',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
}

function errorSchema(): Json {
  return jsonSchema(
    z.object({
      error: z.object({
        code: z.enum(Object.entries(ERRORS).flatMap(([code, { status }]) => (status === 0 ? [] : [code]))),
        message: z.string().describe('Says what to do next.'),
        details: z.unknown().optional(),
        hint: z.string().optional(),
        retryAfter: z.number().optional().describe('Seconds.'),
      }),
    }),
  );
}
