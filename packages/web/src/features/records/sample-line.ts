import { ANY_SHAPE, type Declaration, declarationsIn, targetShapes } from '@cairn/model/declaration';
import type { JsonObject } from '@cairn/model/json';
import { BUILT_IN_SHAPES } from '@cairn/protocol/vocabulary';
import type { ShapeDescription } from '@cairn/sdk';

type DescribedShape = Pick<ShapeDescription, 'name' | 'fields' | 'count'>;

export function sampleLine(shapes: readonly DescribedShape[]): string | undefined {
  const [shape] = shapes
    .filter(({ name }) => !Object.hasOwn(BUILT_IN_SHAPES, name))
    .toSorted((one, other) => other.count - one.count);
  if (shape === undefined) return undefined;
  return JSON.stringify({ name: `${shape.name}/new-name`, data: sampleData(shape.fields) });
}

function sampleData(fields: unknown): JsonObject {
  const declared = declarationsIn(fields);
  const needed = declared.filter(({ isOptional }) => !isOptional);
  const shown = needed.length > 0 ? needed : declared.slice(0, 1);
  return Object.fromEntries(shown.map((field) => [field.name, sampleValue(field)]));
}

function sampleValue({ type, keywords, items, members }: Declaration): unknown {
  const { enum: choices, minLength, maxLength, minItems } = keywords;
  if (Array.isArray(choices)) return choices[0];
  if (type === 'string') return 'text'.padEnd(numberOr(minLength, 0), '.').slice(0, numberOr(maxLength, undefined));
  if (type === 'number') return sampleNumber(keywords);
  if (type === 'boolean') return true;
  if (type === 'wref') return `${targetShapes(keywords.shape).find((name) => name !== ANY_SHAPE) ?? 'Shape'}/name`;
  if (type === 'array') {
    const item = items === undefined ? 'text' : sampleValue(items);
    return Array.from({ length: Math.max(1, numberOr(minItems, 1)) }, () => item);
  }
  return members === undefined ? {} : sampleData(members);
}

const sampleNumber = ({ minimum, maximum }: JsonObject): number =>
  Math.min(Math.max(1, numberOr(minimum, 1)), numberOr(maximum, Number.POSITIVE_INFINITY));

const numberOr = <Other>(value: unknown, other: Other): number | Other => (typeof value === 'number' ? value : other);
