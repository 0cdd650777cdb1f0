// Tools with several variants: the arguments choose a procedure, and only some go together. Arguments without an effect
// are refused, because the caller expects one.
import { z } from 'zod';
import { fail } from './errors.ts';
import type { ProcedureName } from './procedure-kinds.ts';
import { PROCEDURES } from './procedures.ts';

// The output schemas of tools cover only the top-level fields. Clients validate answers with them, so fields that can
// be absent are optional, and further fields are allowed.
export const some = z.unknown().optional();
export const items = z.array(z.unknown());
export const text = z.string();
export const whole = z.int();
export const flag = z.boolean();

export const pageOutput = z.looseObject({ items, nextCursor: text.optional() });

export interface ToolWay {
  /**
   * Required arguments: `true` matches anything but false, a string only itself. An empty object matches all other
   * cases.
   */
  readonly when: Readonly<Record<string, string | true>>;
  /** The procedure. The tool takes its input, beside the arguments that choose it. */
  readonly calls: ProcedureName;
  /** Inputs of the procedure that the tool does not take in this variant. */
  readonly without?: readonly string[];
}

type Given = Readonly<Record<string, unknown>>;

/** The part of a tool row that depends on its variants. `aside` names procedures that the tool calls besides. */
export function inWays(ways: readonly ToolWay[], aside: readonly ProcedureName[] = []) {
  return { ways, procedures: [...new Set([...ways.map(({ calls }) => calls), ...aside])] };
}

export function wayOf(ways: readonly ToolWay[], given: Given): ToolWay {
  const way = ways.find(({ when }) => Object.entries(when).every(([name, value]) => fits(given[name], value)));
  if (way === undefined) throw new Error('no variant of the tool matches the arguments');
  return way;
}

function fits(value: unknown, wanted: string | true): boolean {
  return wanted === true ? value !== undefined && value !== false : value === wanted;
}

export function isForAll(ways: readonly ToolWay[], name: string): boolean {
  return ways.every((way) => Object.hasOwn(way.when, name) || takes(way, name));
}

/** The checked arguments that the variant's procedure takes. */
export function inputOf(way: ToolWay, given: Given): Given {
  return Object.fromEntries(Object.entries(given).filter(([name]) => takes(way, name)));
}

function takes({ calls, without }: ToolWay, name: string): boolean {
  return Object.hasOwn(shapeOf(calls), name) && without?.includes(name) !== true;
}

function shapeOf(procedure: ProcedureName): object {
  const { input } = PROCEDURES[procedure];
  return 'shape' in input ? input.shape : input.unwrap().shape;
}

interface ToolInWays {
  readonly input: z.ZodObject;
  readonly ways: readonly ToolWay[];
}

/** Takes the arguments as sent, because filled-in defaults would look like useless arguments. */
export function refuseUseless({ input, ways }: ToolInWays, given: Given): void {
  const way = wayOf(ways, given);
  const useless = Object.keys(given).filter((name) => {
    if (given[name] === undefined || Object.hasOwn(way.when, name) || takes(way, name)) return false;
    // A false flag rejects the other variant, so it selects this one.
    return given[name] !== false || !ways.some(({ when }) => when[name] === true);
  });
  if (useless.length === 0) return;
  const details = useless.map((path) => ({ path, message: whyUseless(ways, way, path) }));
  const all = details.map(({ path, message }) => `${path}: ${message}`).join('; ');
  const message = `These arguments do not go together: ${all}.${togetherIn(way, Object.keys(input.shape))}`;
  throw fail('VALIDATION_ERROR', { message, details });
}

function whyUseless(ways: readonly ToolWay[], way: ToolWay, name: string): string {
  if (isForTheRest(way))
    return `only with ${ways
      .filter((other) => takes(other, name))
      .map(nameOf)
      .join(' or with ')}`;
  return `not with ${nameOf(way)}`;
}

function isForTheRest({ when }: ToolWay): boolean {
  return Object.keys(when).length === 0;
}

function nameOf({ when }: ToolWay): string {
  return Object.entries(when)
    .map(([name, value]) => (value === true ? name : `${name} ${value}`))
    .join(' and ');
}

/** Arguments that locate the repository, and go with every variant. */
const ADDRESS = ['orgName', 'repoName'];

function togetherIn(way: ToolWay, names: readonly string[]): string {
  if (isForTheRest(way)) return '';
  const taken = names.filter((name) => takes(way, name) && !Object.hasOwn(way.when, name) && !ADDRESS.includes(name));
  return ` With ${nameOf(way)} you can give ${taken.length === 0 ? 'nothing else' : taken.join(', ')}.`;
}
