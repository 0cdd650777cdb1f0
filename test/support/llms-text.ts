// Parses a file in the llmstxt.org format and fails on anything else. Follows that description: a title, a quoted
// summary, text without headings, then sections that have only lists of links.

export interface LlmsLink {
  readonly name: string;
  readonly url: string;
  readonly notes: string;
}

export interface LlmsText {
  readonly title: string;
  readonly summary: string;
  readonly introduction: string;
  readonly sections: Readonly<Record<string, readonly LlmsLink[]>>;
}

const FILE = /^# (?<title>[^\n]+)\n\n> (?<summary>[^\n]+)\n\n(?<rest>.*)$/s;
const LINK = /^- \[(?<name>[^\]]+)\]\((?<url>https?:\/\/[^)\s]+)\)(?:: (?<notes>.*))?$/;

export function parseLlmsText(text: string): LlmsText {
  const { title = '', summary = '', rest = '' } = FILE.exec(text)?.groups ?? {};
  if (title === '') throw new Error(`no title and summary: ${text.slice(0, 200)}`);
  const [introduction = '', ...parts] = rest.split(/^## /m);
  if (/^#/m.test(introduction)) throw new Error(`a heading in the introduction: ${introduction}`);
  const sections = parts.map((part) => {
    const [heading = '', ...lines] = part.split('\n');
    return [heading, lines.filter((line) => line !== '').map(parseLink)] as const;
  });
  return { title, summary, introduction: introduction.trim(), sections: Object.fromEntries(sections) };
}

function parseLink(line: string): LlmsLink {
  const { name, url, notes = '' } = LINK.exec(line)?.groups ?? {};
  if (name === undefined || url === undefined) throw new Error(`not a link of a list: ${line}`);
  return { name, url, notes };
}
