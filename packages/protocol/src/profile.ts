// What people write about an organization or a repository.
import { z } from 'zod';
import { PLAIN_LINE } from './names.ts';

/** One line. */
export const displayName = z
  .string()
  .trim()
  .min(1)
  .max(100)
  .regex(PLAIN_LINE, 'holds a control character or half of a character');

/** Some lines. Other control characters could not be stored everywhere, and would reach the terminals of readers. */
export const description = z
  .string()
  .max(2_000)
  .regex(/^(?:[^\p{Cc}\p{Cs}]|[\t\n\r])*$/u, 'holds a control character or half of a character');
