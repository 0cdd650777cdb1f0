// The anchors of headings, made as GitHub makes them: a link works the same in the repository and on the site.

/** Gives each heading of one page its anchor; a second one of the same text gets a number. */
export function createSlugger(): (text: string) => string {
  const used = new Map<string, number>();
  return (text) => {
    const slug = slugOf(text);
    const before = used.get(slug) ?? 0;
    used.set(slug, before + 1);
    return before === 0 ? slug : `${slug}-${before}`;
  };
}

function slugOf(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Mark}\p{Number}\p{Connector_Punctuation} -]/gu, '')
    .replaceAll(' ', '-');
}
