// The page on performance, as Markdown.
import { noteOf } from './report-note.ts';
import type { Plot } from './report-plot.ts';
import type { FigureResult, Results } from './results.ts';
import { hasTarget, isMet, targetText } from './target.ts';

const COMPARISON = 'compare';

/** What each part measures, and how; parts stand in the order in which they are measured. */
const PARTS: Readonly<Record<string, { readonly title: string; readonly text: string }>> = {
  [COMPARISON]: {
    title: 'Beside other servers',
    text: 'Cairn as `npm start` runs it, with SQLite, and others on the same machine in turns: the same 20,000 short records of a name, an indexed number and a label, the same durability (`synchronous=full`) and the same client, which checks every answer. PocketBase is built from its source. *Lean* does the work at the edge of a request, and commits through a writer thread, but has no roles, shapes or history; *bare* is `node:http` and `node:sqlite` alone. Loads come over 32 connections unless they say otherwise. Processor time is that of all threads for one request, with the work that goes on after the answer.',
  },
  commit: {
    title: 'Commits',
    text: 'In the process, without HTTP. Bare SQLite inserts the very rows that Cairn wrote, into the same tables and indexes, with the same durability and the same transactions. PostgreSQL writes its log to the disk at each commit, too.',
  },
  rename: {
    title: 'Renames',
    text: 'Rows that a commit writes which renames a shape, as SQLite counts them.',
  },
  export: {
    title: 'Exports',
    text: 'Of the whole repository over HTTP, and as a job. The bare server goes through the same rows with one statement and writes their columns into the socket, or into a file. Memory is measured while one client reads slowly and another as fast as it can.',
  },
  import: { title: 'Imports', text: 'Over HTTP into an empty repository, beside the same records in commits.' },
  stream: {
    title: 'Streams',
    text: 'A file that `cairn stream submit` sends to a server of its own, from the start of the command to its end, while the search index follows. Bare SQLite inserts the very rows that Cairn wrote, in transactions of 1,000 lines. Point reads go on meanwhile, one after the other.',
  },
  live: {
    title: 'Live streams',
    text: 'From the moment that a commit is sent until the clients have heard of it; and what an open stream takes while nothing happens.',
  },
  actions: {
    title: 'Deliveries',
    text: 'To a receiver that answers at once: how many a second when many wait, and how long after its commit one arrives.',
  },
  mcp: { title: 'MCP', text: 'The tool `thing_query`, in both protocols, beside the same query by tRPC.' },
  cli: { title: 'The command', text: 'A whole process, from its start to its end, beside a bare Node.' },
  start: { title: 'Start', text: 'From the start of the process to the first answer to a read.' },
  memory: {
    title: 'Idle memory',
    text: '40 seconds after the start, when threads that nobody needs have ended.',
  },
  attacks: {
    title: 'Attacks',
    text: 'Another address attacks a server for 15 seconds at a time. The figures are the 99th percentile of the requests of others meanwhile, and how much more memory the server takes than before.',
  },
  'round-trips': {
    title: 'Round trips to PostgreSQL',
    text: 'Statements that one request waits for, with few records and with many, counted on the wire: the least of several requests, since a server does other things meanwhile. The target is the count with few.',
  },
  'read-beside-commit': {
    title: 'Reads beside commits',
    text: 'Point reads one after the other while large commits are applied.',
  },
  'read-sqlite': {
    title: 'Reads on SQLite',
    text: 'Over HTTP with a token, in a private repository. The bare server runs the same statements on the same file and sends the same body; it checks nothing.',
  },
  'read-postgres': {
    title: 'Reads on PostgreSQL',
    text: 'The same on PostgreSQL, on the same machine. The bare server sends the same statements over a pool of as many connections.',
  },
  growth: { title: 'Disk', text: 'What a store takes before there is any record in it. The curves have the rest.' },
  depth: {
    title: 'Depth',
    text: 'A search goes through as many pages as a tree has levels. How many there are at 1,000,000,000 records is computed from the pages that the trees of 100,000 have. Trees that are as deep are simulated: on pages of 512 bytes, with records so short that four of them fill a page. The same requests on the usual pages, in turns, show what the additional levels cost while the file lies in memory.',
  },
};

export function performancePage(results: Results, plots: readonly Plot[]): string {
  const { machine } = results;
  const blocks = [
    '<!-- Made by `npm run bench -- --report` from bench/results.json; do not edit. -->',
    '# Performance',
    'What Cairn does in a second, beside the bare limit of the same machine, and beside what its design asks for. `npm run bench` measures all of it, and makes this page.',
    '## How it is measured',
    [
      `- On one machine with ${machine.cores} processors and ${machine.memoryGib} GB of memory, Node ${machine.node.slice(1)}. Servers, databases and clients share it, so that clients take a part of what servers could have.`,
      '- Each figure is the median of several runs; the spread is the least and the most of them. Whatever is compared is measured in turns, so that both meet the same noise.',
      '- **Bare** is the least that could do the same work: a plain server or a plain loop over the same rows, measured in the same runs. How much of it is reached depends less on the machine than the figure itself.',
      '- Records have about 245 bytes of data. Writes are durable before they are answered.',
    ].join('\n'),
    ...targetBlocks(results.figures),
    ...curveBlocks(plots),
    '## All figures',
    ...Object.entries(PARTS).flatMap(([part, { title, text }]) => {
      const figures = results.figures.filter((figure) => figure.part === part);
      const tableOf = part === COMPARISON ? comparisonTable : figureTable;
      return figures.length === 0 ? [] : [`### ${title}`, text, tableOf(figures)];
    }),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function targetBlocks(figures: readonly FigureResult[]): string[] {
  const aimed = figures.filter(hasTarget);
  if (aimed.length === 0) return [];
  const rows = aimed.map((figure) => [
    figure.name,
    valueText(figure),
    ofBareText(figure),
    targetText(figure),
    isMet(figure) ? 'met' : '**not met**',
  ]);
  const missed = aimed.filter((figure) => !isMet(figure));
  return [
    '## Targets',
    `${aimed.length - missed.length} of ${aimed.length} are met.`,
    markdownTable(['Figure', 'Median', 'Of bare', 'Target', ''], rows),
    ...noteBlocks(missed),
  ];
}

function noteBlocks(missed: readonly FigureResult[]): string[] {
  if (missed.length === 0) return [];
  const notes = Map.groupBy(missed, ({ name }) => noteOf(name) ?? '');
  const items = [...notes].map(([note, figures]) => {
    const names = figures.map(({ name }) => `*${name}*`).join('; ');
    return `- ${names}${note === '' ? '' : `: ${note}`}`;
  });
  return ['Those that are not met, and why:', items.join('\n')];
}

function curveBlocks(plots: readonly Plot[]): string[] {
  if (plots.length === 0) return [];
  return [
    '## As a repository grows',
    'One repository on each engine, measured each time it is ten times as large. Reads and single commits come one after the other on one connection; the point read is of any record, and the commit is another version of any record. A flat line means that size costs nothing. Disk, depth, backup, start and memory are of other repositories, filled by commits of 5,000, whose records have one reference each and one indexed field.',
    ...plots.flatMap((plot) => [
      `### ${capitalized(plot.name)}`,
      `![${plot.name} at each size, ${plot.unit}](performance/${plot.file})`,
      curveTable(plot),
    ]),
    GROWTH,
  ];
}

const GROWTH = `### What grows, and why
- **Point reads, pages, indexed filters and what is about a record** go down an index whose depth is the logarithm of the size: four
  steps instead of two. What is read in the end is as much as before. Once a repository is larger than the memory that the system has for files,
  records that nobody asked for in a while come from the disk.
- **Commits** add rows at the end of most indexes, and somewhere in the middle of those by name and by value: with the size the pages that are touched
  become more, not the work.
- **Streams** are commits of 1,000 lines. In a small repository the start of a stream, some milliseconds, is a large part of it. In a large one names and
  indexed values, which come in any order, fall on pages of their own: a thousand lines touch some dozens of pages among ten thousand records, and
  thousands among ten million, and each is written to the log and to the file. The client, the server and the index of words share two
  processors here.
- **Indexed filters** that a tenth of all records match are answered from the index while these are few. From some thousands on, records are held against the
  condition in the order of the list until the page is full, which takes as long in any larger repository.
- **Exports** go through all records once, so that the whole takes as much longer as there are more rows; the rate stays. In a small repository the
  beginning of the answer is a large part of it.
- The disk is what grows in step: some 500 bytes on SQLite for each version of such a record, with its indexes, and some 60 for the index of words.`;

function curveTable({ curves }: Plot): string {
  const sizes = [...new Set(curves.flatMap(({ points }) => points.map(({ records }) => records)))].sort(
    (a, b) => a - b,
  );
  const rows = sizes.map((records) => [
    number(records),
    ...curves.map(({ points }) => {
      const point = points.find((one) => one.records === records);
      return point === undefined ? '' : valueText({ ...point, unit: '' });
    }),
  ]);
  return markdownTable(['Records', ...curves.map(({ engine }) => ENGINES[engine])], rows);
}

const ENGINES = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

function figureTable(figures: readonly FigureResult[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    valueText(figure),
    optionalNumber(figure.bareMedian),
    ofBareText(figure),
  ]);
  return markdownTable(['Figure', 'Median', 'Bare', 'Of bare'], rows);
}

const OF_SERVER = /^(?<work>.+), (?:cairn|PocketBase|lean)$/;

/** A row for each work, with a column for each server. Ratios are among the targets. */
function comparisonTable(figures: readonly FigureResult[]): string {
  const works = new Set(figures.flatMap(({ name }) => OF_SERVER.exec(name)?.groups?.work ?? []));
  const rows = [...works].map((work) => {
    const ofServer = (server: string) => figures.find(({ name }) => name === `${work}, ${server}`);
    const own = ['cairn', 'PocketBase', 'lean'].map(ofServer);
    const { unit = '', bareMedian } = own.find((figure) => figure !== undefined) ?? {};
    return [work, unit, ...[...own.map((figure) => figure?.median), bareMedian].map(optionalNumber)];
  });
  return markdownTable(['', 'Unit', 'Cairn', 'PocketBase', 'Lean', 'Bare'], rows);
}

const optionalNumber = (value: number | undefined) => (value === undefined ? '' : number(value));

interface Value extends Pick<FigureResult, 'median' | 'spread' | 'runs' | 'unit'> {}

/** With its spread, where there was more than one run. */
function valueText({ median, spread: [least, most], runs, unit }: Value): string {
  const text = `${number(median)} ${unit}`.trim();
  return runs === 1 || least === most ? text : `${text} (${number(least)} to ${number(most)})`;
}

const ofBareText = ({ ofBare }: FigureResult) => (ofBare === undefined ? '' : `${Math.round(ofBare * 100)} %`);

/** Three digits that count are as many as a run repeats. */
const number = (value: number) => Number(value.toPrecision(3)).toLocaleString('en-US', { maximumSignificantDigits: 3 });

const capitalized = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
