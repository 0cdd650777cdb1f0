import { type Declaration, declarationsIn, FIELD_TYPES, targetShapes } from '@cairn/model/declaration';
import { isJsonObject } from '@cairn/model/json';
import { pointerTokens } from '@cairn/model/json-pointer';
import type { FieldNote } from './value.tsx';

/** Describes fields by JSON pointer, from the data of their shape. */
export function noteFinder(shape: unknown): (pointer: string) => FieldNote | undefined {
  const members = isJsonObject(shape) && isJsonObject(shape.fields) ? shape.fields : {};
  const whole: Declaration = { type: 'object', isOptional: false, keywords: {}, members };
  return (pointer) => {
    let place: Declaration | undefined = whole;
    for (const token of pointerTokens(pointer)) place = place && memberAt(place, token);
    return place && noteOf(place);
  };
}

const memberAt = ({ items, members }: Declaration, token: string): Declaration | undefined =>
  items ?? declarationsIn(members).find(({ name }) => name === token);

function noteOf(declaration: Declaration): FieldNote | undefined {
  const type = typeText(declaration);
  const { description } = declaration.keywords;
  if (type === undefined) return undefined;
  return {
    type: declaration.isOptional ? `${type}, optional` : type,
    description: typeof description === 'string' ? description : undefined,
  };
}

function typeText({ type, keywords, items }: Declaration): string | undefined {
  if (!FIELD_TYPES.some((known) => known === type)) return undefined;
  if (type === 'array')
    return `list of ${(items && typeText(items))?.replace(/^reference/, 'references') ?? 'anything'}`;
  if (type === 'wref')
    return keywords.shape === undefined ? 'reference' : `reference to ${targetShapes(keywords.shape).join(' or ')}`;
  return Array.isArray(keywords.enum) ? `${type}, one of ${keywords.enum.join(', ')}` : type;
}
