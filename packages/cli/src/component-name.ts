import { UsageError } from './exit-codes.ts';

/** A component of the registry, as `ORG/NAME`. */
export function parseComponentName(text: string): { readonly orgName: string; readonly name: string } {
  const [orgName, name, rest] = text.split('/');
  if (!orgName || !name || rest !== undefined) {
    throw new UsageError(`${text} is not the name of a component. Write it as ORG/NAME.`);
  }
  return { orgName, name };
}
