// Finds the wrefs in data, by its shape. It goes along the keys that the data has, not along the fields that the shape
// has: data may hold very many small objects, and a shape very many fields.

import type { Field, Fields, WrefField } from '../shape/shape.rule.ts';
import { isJsonObject } from './json-value.ts';

export type Token = string | number;

/** Called for each value of a `wref` field that is not null, with the way to it. */
export type VisitWref = (value: unknown, tokens: readonly Token[], field: WrefField) => void;

type Visitor = (value: unknown, tokens: Token[], visit: VisitWref) => void;

/** `undefined` for a shape that has no `wref` field. */
export function compileWrefVisitor(fields: Fields): ((data: unknown, visit: VisitWref) => void) | undefined {
  const visitor = ofFields(fields);
  return visitor && ((data, visit) => visitor(data, [], visit));
}

function ofFields(fields: Fields): Visitor | undefined {
  const members = new Map<string, Visitor>();
  for (const [name, field] of fields) {
    const visitor = ofField(field);
    if (visitor !== undefined) members.set(name, visitor);
  }
  if (members.size === 0) return undefined;
  return (value, tokens, visit) => {
    if (!isJsonObject(value)) return;
    for (const name in value) {
      const visitor = members.get(name);
      if (visitor === undefined || !Object.hasOwn(value, name)) continue;
      tokens.push(name);
      visitor(value[name], tokens, visit);
      tokens.pop();
    }
  };
}

function ofField(field: Field): Visitor | undefined {
  if (field.type === 'object') return ofFields(field.fields);
  if (field.type === 'wref') {
    return (value, tokens, visit) => {
      if (value !== undefined && value !== null) visit(value, tokens, field);
    };
  }
  const item = field.type === 'array' && field.items !== undefined ? ofField(field.items) : undefined;
  return item && ofItems(item);
}

function ofItems(item: Visitor): Visitor {
  return (value, tokens, visit) => {
    if (!Array.isArray(value)) return;
    for (let index = 0; index < value.length; index++) {
      tokens.push(index);
      item(value[index], tokens, visit);
      tokens.pop();
    }
  };
}
