import { noteOf } from './report-note.ts';
import type { Plot } from './report-plot.ts';
import type { FigureResult, Results } from './results.ts';
import { hasTarget, isMet, targetText } from './target.ts';

const COMPARISON = 'compare';

/** The other parts, in the order in which they are measured. */
const PARTS: Readonly<Record<string, { readonly title: string; readonly text: string }>> = {
  commit: {
    title: 'Commits in the process',
    text: 'Without HTTP, each durable before the next of its writer.',
  },
  export: {
    title: 'Exports',
    text: 'As a job, and over HTTP. Memory is measured while one client reads slowly and another as fast as it can.',
  },
  import: { title: 'Imports', text: 'Over HTTP into an empty repository, beside the same records in commits.' },
  stream: {
    title: 'Streams',
    text: '`cairn stream submit` sends a file while the search index follows. Point reads go on meanwhile.',
  },
  live: {
    title: 'Live streams',
    text: 'From the moment a commit is sent until the clients have heard of it, and what an open stream takes while nothing happens.',
  },
  actions: {
    title: 'Deliveries',
    text: 'To a receiver that answers at once: how many a second when many wait, and how long after its commit one arrives.',
  },
  cli: { title: 'The command', text: 'A whole process from its start to its end, beside a bare Node.' },
  attacks: {
    title: 'Attacks',
    text: 'Another address attacks the server for 15 seconds at a time. The figures are the 99th percentile of the requests of others meanwhile, and the memory that the server takes in addition.',
  },
  postgres: {
    title: 'PostgreSQL over HTTP',
    text: 'A server and its PostgreSQL on the same machine, with 32 requests at a time.',
  },
  'round-trips': {
    title: 'Round trips to PostgreSQL',
    text: 'The number of times that a request waits for PostgreSQL, counted on the wire. Statements that travel together count once. With many records, the target is the count with few.',
  },
  growth: { title: 'Disk', text: 'The size of a store without records.' },
  depth: {
    title: 'Depth',
    text: 'A search reads one page for each level of a tree. The levels at 1,000,000,000 records are computed from the pages that the trees of 100,000 have. Trees that are as deep are simulated with pages of 512 bytes and short records.',
  },
};

export function performancePage(results: Results, plots: readonly Plot[]): string {
  const { figures } = results;
  const compared = figures.filter(({ part }) => part === COMPARISON);
  const missed = figures.filter((figure) => hasTarget(figure) && !isMet(figure));
  const blocks = [
    '<!-- Made by `npm run bench -- --report` from bench/results.json; do not edit. -->',
    '# Performance',
    ...(compared.length === 0 ? [] : comparisonBlocks(compared)),
    ...curveBlocks(plots),
    '## All other figures',
    ...Object.entries(PARTS).flatMap(([part, { title, text }]) => {
      const own = figures.filter((figure) => figure.part === part);
      return own.length === 0 ? [] : [`### ${title}`, text, figureTable(own)];
    }),
    ...missedBlocks(missed),
    ...methodBlocks(results),
  ];
  return `${blocks.join('\n\n')}\n`;
}

const SERVERS = ['cairn', 'PocketBase', 'lean', 'bare'] as const;
const TITLES = ['Cairn', 'PocketBase', 'Lean', 'Bare'];
const PROCESSOR_TIME = ', processor time';
const OF_SERVER = /^(?<work>.+), (?:cairn|PocketBase|lean|bare)$/;

function comparisonBlocks(figures: readonly FigureResult[]): string[] {
  const find = (work: string, server: string) => figures.find(({ name }) => name === `${work}, ${server}`);
  const works = [...new Set(figures.flatMap(({ name }) => OF_SERVER.exec(name)?.groups?.work ?? []))];
  const cells = (work: string) => {
    const own = SERVERS.map((server) => find(work, server));
    const bare = own.find((figure) => figure?.bareMedian !== undefined)?.bareMedian;
    return [...own.slice(0, -1).map((figure) => figure?.median), own.at(-1)?.median ?? bare].map(optionalNumber);
  };
  const timed = works.filter((work) => work.endsWith(PROCESSOR_TIME));
  const unitOf = (work: string) => SERVERS.flatMap((server) => find(work, server)?.unit ?? [])[0] ?? '';
  const rates = works.filter((work) => unitOf(work) === 'a second');
  const others = works.filter((work) => !timed.includes(work) && !rates.includes(work));
  const target = (work: string) => {
    const figure = find(work, 'cairn');
    return figure === undefined ? '' : targetCell(figure);
  };
  const short = (work: string) => work.replace(PROCESSOR_TIME, '');
  return [
    'One Cairn server beside PocketBase, on the same small machine, with the same records and the same durability. Higher is better in the first table, lower in the two others.',
    '## Requests a second',
    markdownTable(
      ['', ...TITLES],
      rates.map((work) => [work, ...cells(work)]),
    ),
    '## Processor time for one request, in microseconds',
    markdownTable(
      ['', ...TITLES, 'Budget'],
      timed.map((work) => [short(work), ...cells(work), target(work)]),
    ),
    '## At rest',
    markdownTable(
      ['', ...TITLES, 'Budget'],
      others.map((work) => [`${work}, ${unitOf(work)}`, ...cells(work), target(work)]),
    ),
    MEANING,
  ];
}

const MEANING = `## What this means for you

- **A laptop or a small server is enough.** One process with SQLite serves reads and durable commits for hundreds of people. There is nothing else to run.
- **A commit is on the disk when it is answered.** Writers that come together share one write to the disk, so 32 writers get more than twice the rate of one.
- **Size costs little.** A point read, a page, and a commit take about as long in a repository of a million records as in one of a thousand: see below.
- **Rights are not cached away.** Each request sees the roles and tokens of that moment. The comparison includes that check.
- **Bulk data goes by stream.** \`cairn stream submit\` and imports write tens of thousands of records a second: see below.
- *Lean* and *bare* show the limit of the machine. Lean does the work at the edge of a request and commits through a writer thread, but has no roles, shapes or history. Bare is \`node:http\` and \`node:sqlite\` alone; for a tool call it is the SDK of MCP alone.`;

function targetCell(figure: FigureResult): string {
  if (!hasTarget(figure)) return '';
  return isMet(figure) ? targetText(figure) : `**${targetText(figure)}: not met**`;
}

function missedBlocks(missed: readonly FigureResult[]): string[] {
  if (missed.length === 0) return [];
  const notes = Map.groupBy(missed, ({ name }) => noteOf(name) ?? '');
  const items = [...notes].map(([note, figures]) => {
    const names = figures.map(({ name }) => `*${name}*`).join('; ');
    return `- ${names}${note === '' ? '' : `: ${note}`}`;
  });
  return ['## Targets that are not met, and why', items.join('\n')];
}

function methodBlocks({ machine }: Results): string[] {
  return [
    '## How it is measured',
    [
      '- `npm run bench` measures everything, writes `bench/results.json` and makes this page. `npm run bench -- compare` measures the comparison alone.',
      `- The machine has ${machine.cores} processors and ${machine.memoryGib} GB of memory, with Node ${machine.node.slice(1)}. Servers, databases and clients share it.`,
      '- Each figure is the median of several runs; the range behind it is the least and the most. What is compared is measured in turns, so that all meet the same noise.',
      '- In the comparison, Cairn runs as `npm start` runs it, with SQLite. Each server holds the same 20,000 short records of a name, an indexed number and a label, and writes with `synchronous=full`. PocketBase is built from its source. One client checks every answer. Loads come over 32 connections unless they say otherwise.',
      '- Processor time is that of all threads, with the work that goes on after the answer. It depends less on other programs of the machine than a rate does.',
      '- *Bare* in the other tables is a plain server or loop over the same rows, in the same runs. Their records have about 245 bytes of data.',
    ].join('\n'),
  ];
}

function curveBlocks(plots: readonly Plot[]): string[] {
  if (plots.length === 0) return [];
  return [
    '## As a repository grows',
    'One repository on each engine, measured each time it is ten times as large. A flat line means that size costs nothing. Reads and single commits come one after the other on one connection. Disk, depth, backup, start and memory are of other repositories, whose records have one reference and one indexed field each. The numbers are in `bench/results.json`.',
    ...plots.map((plot) => `![${plot.name} at each size, ${plot.unit}](performance/${plot.file})`),
    GROWTH,
  ];
}

const GROWTH = `### What grows, and why

- **Point reads, pages and indexed filters** go down an index, which has four levels instead of two in a repository a thousand times as large.
- **Commits** add rows at the end of most indexes. Names and indexed values fall anywhere in theirs, so more pages are touched, but the work stays.
- **Streams** write a thousand lines in a commit. In a large repository these fall on thousands of pages, and each is written to the log and to the file.
- **Exports** read all records once, at the same rate at any size.
- **The disk** grows in step: some 500 bytes for each version of a record on SQLite, and some 60 for the index of words.`;

function figureTable(figures: readonly FigureResult[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    valueText(figure),
    optionalNumber(figure.bareMedian),
    targetCell(figure),
  ]);
  return markdownTable(['Figure', 'Median', 'Bare', 'Target'], rows);
}

const optionalNumber = (value: number | undefined) => (value === undefined ? '' : number(value));

interface Value extends Pick<FigureResult, 'median' | 'spread' | 'runs' | 'unit'> {}

/** Shows the spread if there were several runs. */
function valueText({ median, spread: [least, most], runs, unit }: Value): string {
  const text = `${number(median)} ${unit}`.trim();
  return runs === 1 || least === most ? text : `${text} (${number(least)} to ${number(most)})`;
}

/** Runs repeat to about three significant digits. */
const number = (value: number) => Number(value.toPrecision(3)).toLocaleString('en-US', { maximumSignificantDigits: 3 });

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
