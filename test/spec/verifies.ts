import { REQUIREMENTS, type RequirementId } from './requirements.ts';

/**
 * The title of a test that verifies rules of the specification, which it names: `it(verifies('…', '7/unknown-path'), …)`.
 * requirements.test.ts reads these calls as text, so ids stand in them literally.
 */
export function verifies(title: string, ...ids: [RequirementId, ...RequirementId[]]): string {
  for (const id of ids) if (!Object.hasOwn(REQUIREMENTS, id)) throw new Error(`no requirement ${id}`);
  return `${title} [spec ${ids.join(', ')}]`;
}
