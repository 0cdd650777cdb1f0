// What tools answer, as far as their output schemas tell it: the fields at the top. A client checks answers by them, so
// what is not always there is optional, and what is not named may be there as well.
import { z } from 'zod';

export const some = z.unknown().optional();
export const items = z.array(z.unknown());
export const text = z.string();
export const whole = z.int();
export const flag = z.boolean();

export const pageOutput = z.looseObject({ items, nextCursor: text.optional() });
