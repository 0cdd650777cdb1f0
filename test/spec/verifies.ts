import { REQUIREMENTS, type RequirementId } from './requirements.ts';

/**
 * Builds the title of a test and names the rules of the specification that it verifies: `it(verifies('…',
 * '7/unknown-path'), …)`. requirements.test.ts reads these calls as text, so the IDs must be literals.
 */
export function verifies(title: string, ...ids: [RequirementId, ...RequirementId[]]): string {
  for (const id of ids) if (!Object.hasOwn(REQUIREMENTS, id)) throw new Error(`no requirement ${id}`);
  return `${title} [spec ${ids.join(', ')}]`;
}
