// Of the limits of the server, those that a model can keep to.
import type { LimitName } from '@cairn/protocol/limits';

const LIMITS_TOLD = [
  'commitOperations',
  'commitReferences',
  'dataBytes',
  'dataDepth',
  'jsonBodyBytes',
  'readWrefs',
  'toolAnswerBytes',
] as const satisfies readonly LimitName[];

export function toldLimits(limits: Readonly<Record<string, number>>): object {
  return Object.fromEntries(LIMITS_TOLD.map((name) => [name, limits[name]]));
}
