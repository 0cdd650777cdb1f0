// The route table as an OpenAPI 3.1 document.
import { z } from 'zod';
import { ERRORS } from './errors.ts';
import { ROUTES, type RouteKey, routeAddress } from './routes.ts';
import type { RouteRow } from './row.ts';
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
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } }, schemas: { Error: errorSchema() } },
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
    ...(hasBody(row) && { requestBody: requestBody(row) }),
    responses: { ...refusals(row), ...answers(row) },
  };
}

const hasBody = ({ body, form, otherBody }: RouteRow): boolean =>
  body !== undefined || form !== undefined || otherBody !== undefined;

function operationId(key: RouteKey): string {
  const words = key.toLowerCase().match(/[a-z]+/g) ?? [];
  return words.map((word, index) => (index === 0 ? word : word[0]?.toUpperCase() + word.slice(1))).join('');
}

function pathParameters(path: string): Json[] {
  const names = [...path.matchAll(/:(\w+)/g)].map((match) => match[1]);
  return names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }));
}

function requestBody({ body, form, isForPeople, otherBody }: RouteRow): Json {
  const content: Record<string, z.ZodType | undefined> = {
    ...(body !== undefined && { 'application/json': body }),
    ...(form !== undefined && { 'application/x-www-form-urlencoded': form }),
    ...(form !== undefined && !isForPeople && { 'application/json': form }),
    ...otherBody,
  };
  return { required: true, content: mapValues(content, (schema) => mediaType(schema, 'input')) };
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
    content: mapValues(content, (schema) => mediaType(schema, 'output')),
  }));
}

const mediaType = (schema: z.ZodType | undefined, io: 'input' | 'output'): Json =>
  schema === undefined ? {} : { schema: jsonSchema(schema, io) };

/** Any route can refuse a malformed request or a bad credential, be rate limited, and fail. */
const ALWAYS = [400, 401, 429, 431, 500, 503];
const WITH_BEARER = [403, 404];
const WITH_BODY = [408, 413, 415];
/** The server refuses forms from another site, and forms that arrive too late. */
const WITH_FORM = [403, 409];

function refusals(row: RouteRow): Json {
  const statuses = [
    ...ALWAYS,
    ...(row.bearer === 'none' ? [] : WITH_BEARER),
    ...(hasBody(row) ? WITH_BODY : []),
    ...(row.form === undefined ? [] : WITH_FORM),
    ...(row.refusals ?? []),
  ];
  const error = { schema: { $ref: '#/components/schemas/Error' } };
  const { [JSON_TYPE]: other, ...others } = row.refusal ?? {};
  const schema = other === undefined ? error : { schema: { anyOf: [error.schema, jsonSchema(other)] } };
  const isPage = row.isForPeople || Object.values(row.answers).some(({ content }) => HTML in content);
  const content = {
    [JSON_TYPE]: schema,
    ...mapValues(others, (one) => mediaType(one, 'output')),
    ...(isPage && { [HTML]: {} }),
  };
  return Object.fromEntries(statuses.map((status) => [status, { description: meaningOf(status), content }]));
}

const JSON_TYPE = 'application/json';
const HTML = 'text/html; charset=utf-8';

/** Statuses whose error code has another main status. */
const OTHER_MEANINGS: Readonly<Record<number, string>> = {
  406: 'The client accepts none of the response content types.',
  431: 'VALIDATION_ERROR: The target or the headers of the request are too large.',
};

function meaningOf(status: number): string {
  const other = OTHER_MEANINGS[status];
  if (other !== undefined) return other;
  return Object.entries(ERRORS)
    .filter(([, row]) => row.status === status)
    .map(([code, { meaning }]) => `${code}: ${meaning}`)
    .join(' ');
}

function mapValues<Value>(table: Readonly<Record<string, Value>>, change: (value: Value) => Json): Json {
  return Object.fromEntries(Object.entries(table).map(([key, value]) => [key, change(value)]));
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output' = 'output'): Json {
  const made: Json = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  // The document declares one dialect for all schemas, so a schema inside it declares none.
  delete made.$schema;
  return made;
}

function errorSchema(): Json {
  return jsonSchema(
    z.object({
      error: z.object({
        code: z.enum(Object.entries(ERRORS).flatMap(([code, { status }]) => (status === 0 ? [] : [code]))),
        message: z.string().describe('For people: what failed, and what to do next.'),
        details: z.unknown().optional(),
        hint: z.string().optional(),
        retryAfter: z.number().optional().describe('Seconds.'),
      }),
    }),
  );
}
