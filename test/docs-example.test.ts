import { it } from 'vitest';
import { runExamples } from './support/docs-example.ts';

it.each(['docs/relations.md', 'docs/time.md'])('the examples of %s do what they say', async (page) => {
  await runExamples(page);
});
