// Globs, implemented a second time in the simplest way: as a regular expression.

export function matchesGlob(glob: string, name: string): boolean {
  const parts = glob.split(/(\*\*|\*)/u).map((part) => {
    if (part === '**') return '[^]*';
    return part === '*' ? '[^/]*' : part.replaceAll(/[.+?^${}()|[\]\\/]/gu, '\\$&');
  });
  return new RegExp(`^${parts.join('')}$`, 'u').test(name);
}
