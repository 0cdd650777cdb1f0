// Tools that do several things: which procedure a call means, and which arguments go together. An argument that would have
// no effect is refused: whoever gives it expects one.
import { z } from 'zod';
import { fail } from './errors.ts';
import type { ProcedureName } from './procedure-kinds.ts';
import { PROCEDURES } from './procedures.ts';

// What tools answer, as far as their output schemas tell it: the fields at the top. A client checks answers by them, so that
// a field that can be absent is optional, and further fields may be there.
export const some = z.unknown().optional();
export const items = z.array(z.unknown());
export const text = z.string();
export const whole = z.int();
export const flag = z.boolean();

export const pageOutput = z.looseObject({ items, nextCursor: text.optional() });

export interface ToolWay {
  /** What must be given: `true` for anything but false, or this very value. Nothing: in all other cases. */
  readonly when: Readonly<Record<string, string | true>>;
  /** It takes what this takes, beside what chooses it. */
  readonly calls: ProcedureName;
  /** What the procedure takes, and the tool does not in this case. */
  readonly without?: readonly string[];
}

type Given = Readonly<Record<string, unknown>>;

/** For a row of the tool table: its ways, and with them all that it may call; `aside` is what it asks besides. */
export function inWays(ways: readonly ToolWay[], aside: readonly ProcedureName[] = []) {
  return { ways, procedures: [...new Set([...ways.map(({ calls }) => calls), ...aside])] };
}

export function wayOf(ways: readonly ToolWay[], given: Given): ToolWay {
  const way = ways.find(({ when }) => Object.entries(when).every(([name, value]) => fits(given[name], value)));
  if (way === undefined) throw new Error('no way of the tool fits what is given');
  return way;
}

function fits(value: unknown, wanted: string | true): boolean {
  return wanted === true ? value !== undefined && value !== false : value === wanted;
}

/** Whether an argument may be given whatever else is. */
export function isForAll(ways: readonly ToolWay[], name: string): boolean {
  return ways.every((way) => Object.hasOwn(way.when, name) || takes(way, name));
}

/** What the procedure of a way is given: of arguments that were checked, those that it takes. */
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

/** Asked of arguments as they were sent, before defaults are filled in. */
export function refuseUseless({ input, ways }: ToolInWays, given: Given): void {
  const way = wayOf(ways, given);
  const useless = Object.keys(given).filter((name) => !hasEffect({ ways, way, given }, name));
  if (useless.length === 0) return;
  const details = useless.map((path) => ({ path, message: whyUseless(ways, way, path) }));
  const all = details.map(({ path, message }) => `${path}: ${message}`).join('; ');
  const message = `These do not go together: ${all}.${togetherIn(way, Object.keys(input.shape))}`;
  throw fail('VALIDATION_ERROR', { message, details });
}

interface Choice {
  readonly ways: readonly ToolWay[];
  readonly way: ToolWay;
  readonly given: Given;
}

function hasEffect({ ways, way, given }: Choice, name: string): boolean {
  if (given[name] === undefined || Object.hasOwn(way.when, name) || takes(way, name)) return true;
  // Whoever says no to another way means this one.
  return given[name] === false && ways.some(({ when }) => when[name] === true);
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

/** Where things are, which goes with everything. */
const ADDRESS = ['orgName', 'repoName'];

function togetherIn(way: ToolWay, names: readonly string[]): string {
  if (isForTheRest(way)) return '';
  const taken = names.filter((name) => takes(way, name) && !Object.hasOwn(way.when, name) && !ADDRESS.includes(name));
  return ` With ${nameOf(way)} goes ${taken.length === 0 ? 'nothing else' : taken.join(', ')}.`;
}
