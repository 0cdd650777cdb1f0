// Places in data, which the API names by JSON pointers, as people write them.
import { pointerTokens } from '@cairn/protocol/json-pointer';
import { pathOf } from '../shape/fields.ts';

/** `/position/x` is `position.x`. */
export const pathText = (pointer: string): string => pathOf(pointerTokens(pointer));

/** The field alone, where what stands there is shown beside it: which item of a list it is says nothing then. */
export const fieldText = (pointer: string): string =>
  pathOf(pointerTokens(pointer).filter((token) => !/^\d+$/.test(token)));
