// What people call their browser, from what it calls itself.

// In this order: most browsers also name those that they resemble.
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Headless)?Chrom(e|ium)\/|\bCriOS\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bWindows\b/, 'Windows'],
  [/\b(Linux|X11)\b/, 'Linux'],
];

/** What is not known is shown as it is. */
export function browserName(agent: string | undefined): string {
  if (agent === undefined) return 'A browser';
  const [, browser] = BROWSERS.find(([form]) => form.test(agent)) ?? [];
  if (browser === undefined) return agent;
  const [, system] = SYSTEMS.find(([form]) => form.test(agent)) ?? [];
  return system === undefined ? browser : `${browser} on ${system}`;
}
