// Renders a repository as llms.txt (llmstxt.org) for language models. User text must be escaped (markdown.rule.ts).

import { counted, isJsonObject } from '@cairn/model/json';
import { pointerTo } from '@cairn/model/json-pointer';
import { attempt } from '@cairn/model/problem';
import { type Field, type Fields, isBuiltInShape, parseShape } from '@cairn/model/shape';
import type { RepositoryDescription, ShapeDescription } from '@cairn/protocol/description';
import { CairnError } from '@cairn/protocol/errors';
import type { Repository } from '@cairn/protocol/organization';
import { codeSpan, plainText, urlPart } from './markdown.rule.ts';

const BYTES_MAX = 48_000;
const NOTE_CHARACTERS_MAX = 300;

export interface LlmsTextInput {
  readonly repository: Repository;
  readonly publicUrl: string;
  readonly atRepoSeq: number | undefined;
  readonly counts: RepositoryDescription['counts'];
  readonly contents: RepositoryDescription['contents'];
  readonly shapePages: AsyncIterable<readonly ShapeDescription[]>;
}

export async function makeLlmsText(input: LlmsTextInput): Promise<string> {
  const links = new RepositoryLinks(input);
  const list = new ShapeList(links);
  for await (const page of input.shapePages) if (!list.addAll(page)) break;
  const { name, displayName, description } = input.repository;
  const title = plainText(displayName) || plainText(name);
  const { thing, assertion, collection } = input.counts;
  const summary = plainText(description) || `A repository of ${counted(thing + assertion + collection, 'record')}.`;
  const parts = [
    `# ${title}`,
    `> ${summary}`,
    introduction(input),
    section('Reading', readingLinks(links, list.example)),
    section('Shapes', list.lines()),
    section('Texts', textLinks(links, input.contents)),
    section('Optional', optionalLinks(input.publicUrl)),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `## ${title}\n\n${lines.join('\n')}`;
}

class RepositoryLinks {
  readonly publicUrl: string;
  readonly #address: string;
  readonly #input: string;
  readonly #sequence: Readonly<Record<string, string>>;

  constructor({ repository: { orgName, name }, publicUrl, atRepoSeq }: LlmsTextInput) {
    this.publicUrl = publicUrl;
    this.#address = `${urlPart(orgName)}/${urlPart(name)}`;
    this.#sequence = atRepoSeq === undefined ? {} : { atRepoSeq: String(atRepoSeq) };
    const input = { orgName, repoName: name, ...(atRepoSeq !== undefined && { atRepoSeq }) };
    this.#input = urlPart(JSON.stringify(input));
  }

  read(route: string, query: Readonly<Record<string, string>> = {}): string {
    return `${this.publicUrl}/api/repos/${this.#address}/${route}${this.#query(query)}`;
  }

  text(file: string): string {
    return `${this.publicUrl}/${this.#address}/${file}${this.#query({})}`;
  }

  procedure(name: string): string {
    return `${this.publicUrl}/trpc/${name}?input=${this.#input}`;
  }

  #query(query: Readonly<Record<string, string>>): string {
    const pairs = Object.entries({ ...query, ...this.#sequence }).map(([key, value]) => `${key}=${urlPart(value)}`);
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  }
}

const link = (name: string, url: string, note: string) => `- [${name}](${url}): ${note}`;

interface Example {
  readonly shapeName: string;
  readonly predicate: string | undefined;
  readonly count: number;
}

class ShapeList {
  readonly #links: RepositoryLinks;
  readonly #lines: string[] = [];
  #bytes = 0;
  #isCut = false;
  example: Example | undefined;

  constructor(links: RepositoryLinks) {
    this.#links = links;
  }

  addAll(shapes: readonly ShapeDescription[]): boolean {
    for (const shape of shapes) {
      const fields = fieldsIn(shape.fields);
      const line = this.#line(shape, fields);
      this.#bytes += Buffer.byteLength(line) + 1;
      this.#isCut = this.#bytes > SHAPES_BYTES_MAX;
      if (this.#isCut) return false;
      this.#lines.push(line);
      this.#consider(shape, fields);
    }
    return true;
  }

  lines(): readonly string[] {
    if (!this.#isCut) return this.#lines;
    const note = `These are the first ${this.#lines.length} shapes. This link lists all, in pages.`;
    const more = link('All shapes', this.#links.read('head', { kind: 'shape', order: 'name' }), note);
    const whole = link(
      'repo.describe',
      this.#links.procedure('repo.describe'),
      'All shapes with their counts, as JSON.',
    );
    return [...this.#lines, more, whole];
  }

  #line({ name, count, version, description }: ShapeDescription, fields: readonly FieldAt[]): string {
    const about = description === undefined ? '' : ` ${sentence(plainText(description, NOTE_CHARACTERS_MAX))}`;
    const text = fields.length === 0 ? 'No fields.' : `Fields: ${fieldsText(fields)}.`;
    const note = `${counted(count, 'record')}, version ${version}.${about} ${text}`;
    return link(name, this.#links.read('head', { shape: name }), note);
  }

  #consider({ name, count }: ShapeDescription, fields: readonly FieldAt[]): void {
    if (isBuiltInShape(name) || (this.example !== undefined && this.example.count >= count)) return;
    this.example = { shapeName: name, count, predicate: predicateOn(fields) };
  }
}

/** The rest takes less than 10,000 bytes, however long titles and descriptions are. */
const SHAPES_BYTES_MAX = BYTES_MAX - 14_000;

const sentence = (text: string) => (text === '' || /[.!?…]$/.test(text) ? text : `${text}.`);

function predicateOn(fields: readonly FieldAt[]): string | undefined {
  const plain = fields.filter(({ path }) => /^[\w.-]+$/.test(path));
  const ranked = plain.toSorted((a, b) => rankOf(a) - rankOf(b));
  const [best] = ranked;
  return best && `${best.path}:${comparisonOf(best)}`;
}

function rankOf({ field }: FieldAt): number {
  const rank = ['number', 'string', 'boolean', 'wref'].indexOf(field.type);
  const isIndexed = 'indexed' in field && field.indexed;
  return (rank === -1 ? 9 : rank) - (isIndexed ? 5 : 0);
}

function comparisonOf({ field }: FieldAt): string {
  if (field.type === 'number') return `gte:${field.enum?.[0] ?? field.minimum ?? 3}`;
  if (field.type === 'boolean') return 'eq:true';
  const choice = field.type === 'string' ? field.enum?.find((one) => /^[\w.-]+$/.test(one)) : undefined;
  return choice === undefined ? 'exists' : `eq:${choice}`;
}

function introduction({ repository, atRepoSeq, counts, publicUrl }: LlmsTextInput): string {
  const { orgName, name, repoSeq, visibility } = repository;
  const sequence = atRepoSeq ?? repoSeq;
  const held = `${counted(counts.thing, 'thing')}, ${counted(counts.assertion, 'assertion')}, ${counted(counts.collection, 'collection')} and ${counted(counts.shape, 'shape')}`;
  const credential =
    visibility === 'public'
      ? 'Reading needs no credential.'
      : 'Reading needs a credential: send the header `Authorization: Bearer TOKEN` with a token that may read it.';
  return [
    `${codeSpan(`${orgName}/${name}`)} is a repository of versioned, structured records on a Cairn server, ${plainText(publicUrl)}. At sequence ${sequence} it has ${held}.`,
    [
      '- Records: each has a shape, which defines the fields of its data, and a name, `Shape/name`. A thing stands for something; an assertion says something about another record; a collection connects records; shapes are records too.',
      '- Wrefs: a wref refers to a record. It is written `Shape/name`, with a version `Shape/name@v3`, in another repository `wh:org/repo/Shape/name`, or as the `durableId` of a record, which never changes. Wrefs in data include the version that was meant.',
      '- Filters: with `shape`, add `where=path:op:value`, as in `where=severity:gte:3`, up to 8 times; all must match. The ops are eq, ne, gt, gte, lt, lte, prefix, in (`status:in:open,done`) and exists (`owner:exists`). Filters on fields marked indexed are fast. `match` filters by name (`Room/*`, `Room/**`), `q` by words, `kind` by kind, `about` by the record that an assertion is about.',
      '- Pages: an answer has `items` and, if there are more, `nextCursor`. Send it as `cursor`, with all other parameters unchanged, until there is none. All pages show the same state. `limit` is 50 by default and at most 500. `count=true` returns only the number.',
      '- The past: every commit raises the sequence of the repository by one. `atRepoSeq=N` on any read returns the state at sequence N.',
      `- Credentials: ${credential}`,
    ].join('\n'),
  ].join('\n\n');
}

function readingLinks(links: RepositoryLinks, example: Example | undefined): string[] {
  const shape = example === undefined ? {} : { shape: example.shapeName };
  const of = example === undefined ? 'all active records' : `the active records of ${codeSpan(example.shapeName)}`;
  const name = example === undefined ? 'Shape/NAME' : `${example.shapeName}/NAME`;
  const where = example?.predicate === undefined ? {} : { where: example.predicate };
  const filtered = example?.predicate === undefined ? of : `${of} with ${codeSpan(example.predicate)}`;
  return [
    link('head', links.read('head', shape), `${of}, at their current versions.`),
    link('query', links.read('query', { ...shape, ...where }), `${filtered}; takes \`q\` and \`about\` as well.`),
    link('about', links.read(`about/${urlPart(name)}`), 'the assertions about a record; replace NAME with its name.'),
    link('newest', links.read('head', { order: '-updated', limit: '20' }), 'the most recently changed records.'),
    link(
      'MCP',
      `${links.publicUrl}/mcp`,
      'the same and more as tools, with the Model Context Protocol over HTTP (POST).',
    ),
  ];
}

function textLinks(links: RepositoryLinks, contents: LlmsTextInput['contents']): string[] {
  const notes = { readme: 'the readme for people.', agents: 'the instructions for agents.' };
  return (['readme', 'agents'] as const).map((name) => {
    const note = contents.includes(name) ? notes[name] : `${notes[name]} Not written yet.`;
    return link(`${name}.md`, links.text(`${name}.md`), note);
  });
}

function optionalLinks(publicUrl: string): string[] {
  return [
    link('openapi.json', `${publicUrl}/openapi.json`, 'all routes of the server, for programs.'),
    link('API', `${publicUrl}/docs/api`, 'the same as a page, with the procedures that write.'),
    link(
      'Documentation',
      `${publicUrl}/docs/README.md`,
      'guides to modelling, writing, reading and more, as Markdown.',
    ),
  ];
}

const FIELDS_CHARACTERS_MAX = 1_500;
const NAME_CHARACTERS_MAX = 80;
const SHAPE_TEXT_NOTE_CHARACTERS_MAX = 120;
const CHOICES_MAX = 12;

interface FieldAt {
  readonly path: string;
  readonly field: Exclude<Field, { type: 'object' }>;
}

function fieldsIn(definition: unknown): FieldAt[] {
  const shape = attempt(() => parseShape({ fields: withoutHidden(definition) }));
  return shape instanceof CairnError ? [] : flattened(shape.fields, []);
}

function withoutHidden(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutHidden);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, member]): [string, unknown] => [key, withoutHidden(member)]);
  if (typeof value.type !== 'string' || !Object.hasOwn(value, 'shape')) return Object.fromEntries(entries);
  const { shape } = value;
  const seen = (Array.isArray(shape) ? shape : [shape]).filter((name) => name !== null);
  const others = entries.filter(([key]) => key !== 'shape');
  return Object.fromEntries(seen.length === 0 ? others : [...others, ['shape', seen]]);
}

function flattened(fields: Fields, parents: readonly string[]): FieldAt[] {
  return [...fields].flatMap(([name, field]) => {
    const place = [...parents, name];
    return field.type === 'object' ? flattened(field.fields, place) : [{ path: pathOf(place), field }];
  });
}

function pathOf(names: readonly string[]): string {
  return names.some((name) => /[./]/.test(name)) ? names.reduce(pointerTo, '') : names.join('.');
}

function fieldsText(fields: readonly FieldAt[]): string {
  const texts: string[] = [];
  let characters = 0;
  for (const field of fields) {
    const text = fieldText(field);
    characters += text.length;
    if (characters > FIELDS_CHARACTERS_MAX && texts.length > 0) break;
    texts.push(text);
  }
  const left = fields.length - texts.length;
  return [...texts, ...(left > 0 ? [`and ${left} more`] : [])].join('; ');
}

function fieldText({ path, field }: FieldAt): string {
  const { description } = field;
  const facts = [typeText(field), ...(field.optional ? ['optional'] : []), ...limitsOf(field)];
  const note = description === undefined ? '' : ` (${plainText(description, SHAPE_TEXT_NOTE_CHARACTERS_MAX)})`;
  return `${codeSpan(path, NAME_CHARACTERS_MAX)} ${facts.join(', ')}${note}`;
}

function typeText(field: Field): string {
  switch (field.type) {
    case 'wref':
      return field.shapes === undefined ? 'wref' : `wref to ${choicesText(field.shapes, 'or')}`;
    case 'array':
      return field.items === undefined ? 'array' : `array of ${typeText(field.items)}`;
    case 'object':
      return `object of ${choicesText([...field.fields.keys()], 'and')}`;
    default:
      return field.type;
  }
}

function limitsOf(field: Field): string[] {
  const limits: string[] = [];
  if ('enum' in field && field.enum !== undefined) limits.push(`one of ${choicesText(field.enum, 'or')}`);
  if (field.type === 'number') {
    if (field.integer) limits.push('whole');
    if (field.minimum !== undefined) limits.push(`from ${field.minimum}`);
    if (field.maximum !== undefined) limits.push(`up to ${field.maximum}`);
  }
  if ('indexed' in field && field.indexed) limits.push('indexed');
  return limits;
}

function choicesText(choices: readonly unknown[], word: string): string {
  const shown = choices.slice(0, CHOICES_MAX).map((choice) => codeSpan(String(choice), NAME_CHARACTERS_MAX));
  const left = choices.length - shown.length;
  return left > 0 ? `${shown.join(', ')} ${word} ${left} others` : joinTexts(shown, word);
}

function joinTexts(texts: readonly string[], word: string): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} ${word} ${texts.at(-1)}`;
}
