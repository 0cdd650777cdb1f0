import { scanJson } from '@cairn/model/json';
import { type CairnError, fail } from '@cairn/protocol/errors';
import { ORGANIZATION_NAME, REPOSITORY_NAME } from '@cairn/protocol/names';
import { z } from 'zod';
import type { RepositoryAddress } from '../repository/repository.sql.ts';
import type { Exchange } from './exchange.ts';

const WHOLE_NUMBER = /^(?:0|[1-9]\d{0,15})$/;
const NAME_CHARACTERS_MAX = 80;

/** Refuses unknown parameters: a misspelt filter must not be ignored silently. */
export function readParameters(c: Exchange, schema: z.ZodObject): Record<string, unknown> {
  const given = c.searchParams;
  const read: Record<string, unknown> = {};
  for (const name of new Set(given.keys())) {
    const field = Object.hasOwn(schema.shape, name) ? (schema.shape[name] as z.ZodType) : undefined;
    if (field === undefined)
      throw refuseParameter(
        name,
        `Unknown parameter. The known parameters are ${Object.keys(schema.shape).join(', ')}.`,
      );
    const texts = given.getAll(name);
    if (name === 'where') read[name] = texts.flatMap(readWhere);
    else if (texts.length > 1) throw refuseParameter(name, 'The parameter is given more than once.');
    else read[name] = readText(name, texts[0] ?? '', field);
  }
  return read;
}

function readText(name: string, text: string, field: z.ZodType): unknown {
  const type = innermost(field);
  if (type instanceof z.ZodArray) return text.split(',');
  if (type instanceof z.ZodBoolean) {
    if (text !== 'true' && text !== 'false') throw refuseParameter(name, 'The value must be true or false.');
    return text === 'true';
  }
  if (!(type instanceof z.ZodNumber)) return text;
  if (!WHOLE_NUMBER.test(text)) throw refuseParameter(name, 'The value must be a whole number.');
  return Number(text);
}

function innermost(field: z.ZodType): z.ZodType {
  return field instanceof z.ZodOptional || field instanceof z.ZodDefault
    ? innermost(field.unwrap() as z.ZodType)
    : field;
}

function readWhere(text: string): unknown[] {
  if (!text.startsWith('[')) return [text];
  try {
    scanJson(text);
    return JSON.parse(text) as unknown[];
  } catch (error) {
    throw refuseParameter('where', `The value starts like JSON, but is not JSON: ${(error as Error).message}`);
  }
}

function refuseParameter(name: string, message: string): CairnError {
  const path = name.slice(0, NAME_CHARACTERS_MAX);
  return fail('VALIDATION_ERROR', { message: `${path}: ${message}`, details: [{ path, message }] });
}

export function addressIn(c: Exchange): RepositoryAddress {
  const given: Readonly<Record<string, string>> = c.params;
  const { org = '', repo = '', orgName = org, repoName = repo } = given;
  const isPossible = ORGANIZATION_NAME.test(orgName) && REPOSITORY_NAME.test(repoName);
  return isPossible ? { orgName, repoName } : { orgName: '', repoName: '' };
}

const LOCAL_PATH = /^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/;
const NOWHERE = 'http://nowhere.invalid';

/** `undefined` for a text that could lead to another server. */
export function localPath(text: string | undefined): string | undefined {
  if (text === undefined || !LOCAL_PATH.test(text)) return undefined;
  const url = URL.parse(text, NOWHERE);
  return url?.origin === NOWHERE && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}` : undefined;
}
