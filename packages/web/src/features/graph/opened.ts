/** What an address says was expanded has these bounds: programs through which addresses are sent cut long ones. */
const NAMES_MOST = 50;
const CHARACTERS_MOST = 4_000;

/** Those that came first, each once. What is left out is expanded all the same, but not after loading the page again. */
export function openedWithin(names: readonly string[]): string[] {
  const kept: string[] = [];
  let characters = 0;
  for (const name of new Set(names)) {
    characters += name.length;
    if (kept.length === NAMES_MOST || characters > CHARACTERS_MOST) break;
    kept.push(name);
  }
  return kept;
}
