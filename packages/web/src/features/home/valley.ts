// The demo repository: a valley whose history has a commit for each step.
import type { CairnClient } from '@cairn/sdk';

export const DEMO_NAME = 'valley';
export const DEMO_DESCRIPTION = 'A small demo world: places, people, a storm, and what people say about it';

const README = `# A small valley

Eight **places**, three **people**, and the paths between them. Then a storm came, and there were seven.

- *Records* are the places and the people. Each belongs to a *shape*, which defines its fields.
- *Assertions* are claims **about** a record: is the cave safe? Mara and Oda disagree.
- *Commits* are the steps of the history. Nothing is overwritten: move the time slider back to
  [before the storm](records?at=6), and the bridge still stands.
- Shapes have a history too: since the storm a place can [be closed](shapes/Location).

| look at | to see |
| --- | --- |
| [Records](records) | all records, as a table |
| [Location/cave](record/Location/cave) | one place, its history, and what two people believe about it |
| [Graph](graph) | how everything is connected |
| [Commits](commits) | what happened, step by step |
`;

const wrefTo = (shape: string) => ({ type: 'wref', shape });

const PLACE = {
  description: 'A place that you can walk to',
  fields: {
    x: 'number',
    y: 'number',
    'label?': 'string',
    danger: { type: 'number', minimum: 0, maximum: 1, indexed: true, description: '0 is safe, 1 is deadly' },
  },
};

const SHAPES = [
  { name: 'Location', data: PLACE },
  {
    name: 'Person',
    data: {
      description: 'Somebody who lives in the valley',
      fields: {
        name: 'string',
        trade: { type: 'string', enum: ['guide', 'miller', 'map maker'] },
        home: wrefTo('Location'),
        'knows?': { type: 'array', items: wrefTo('Person') },
      },
    },
  },
  {
    name: 'Walk',
    data: {
      description: 'Who walked where',
      fields: { who: wrefTo('Person'), from: wrefTo('Location'), to: wrefTo('Location'), 'hours?': 'number' },
    },
  },
  {
    name: 'Belief',
    data: {
      description: 'What somebody thinks about a place',
      fields: { safe: 'boolean', 'by?': wrefTo('Person'), 'why?': 'string' },
    },
  },
  {
    name: 'Reply',
    data: {
      description: 'An answer to what somebody else believes',
      fields: { text: 'string', 'by?': wrefTo('Person') },
    },
  },
].map((shape) => ({ operation: 'add' as const, kind: 'shape' as const, ...shape }));

const location = (name: string, [x, y, danger]: readonly [number, number, number], label: string) => ({
  name: `Location/${name}`,
  data: { x, y, danger, label },
});
const path = (from: string, to: string) => ({
  kind: 'collection' as const,
  type: 'arc' as const,
  name: `Arc/${from}-to-${to}`,
  members: [`Location/${from}`, `Location/${to}`],
});
const walk = (name: string, [who, from, to]: readonly [string, string, string], hours: number) => ({
  name: `Walk/${name}`,
  data: { who: `Person/${who}`, from: `Location/${from}`, to: `Location/${to}`, hours },
});

interface DemoCommit {
  readonly message: string;
  readonly operations: Parameters<CairnClient['commit']['submit']>[2]['operations'];
}

export const VALLEY: readonly DemoCommit[] = [
  { message: 'Shapes for places, people, walks, and beliefs', operations: SHAPES },
  {
    message: 'The valley and its eight places',
    operations: [
      { name: 'Content/Readme', data: { content: README } },
      location('village', [0, 0, 0], 'The village'),
      location('mill', [1, 0, 0.05], 'The mill at the brook'),
      location('bridge', [5, 1, 0.1], 'The rope bridge'),
      location('cave', [3, 4, 0.2], 'The old cave'),
      location('lake', [4, 2, 0.1], 'The lake'),
      location('forest', [2, 2, 0.3], 'The dark forest'),
      location('meadow', [1, 3, 0], 'The meadow'),
      location('peak', [6, 6, 0.7], 'The peak'),
    ],
  },
  {
    message: 'The people: Mara, Ilan and Oda',
    operations: [
      { name: 'Person/mara', data: { name: 'Mara', trade: 'guide', home: 'Location/village' } },
      { name: 'Person/ilan', data: { name: 'Ilan', trade: 'miller', home: 'Location/mill', knows: ['Person/mara'] } },
      {
        name: 'Person/oda',
        data: { name: 'Oda', trade: 'map maker', home: 'Location/village', knows: ['Person/mara', 'Person/ilan'] },
      },
    ],
  },
  {
    message: 'The paths between the places',
    operations: [
      path('village', 'mill'),
      path('village', 'forest'),
      path('forest', 'cave'),
      path('mill', 'lake'),
      path('lake', 'bridge'),
      path('bridge', 'peak'),
      path('forest', 'meadow'),
    ],
  },
  {
    message: 'A summer of walks',
    operations: [
      walk('1', ['mara', 'village', 'forest'], 2),
      walk('2', ['mara', 'forest', 'cave'], 1.5),
      walk('3', ['ilan', 'mill', 'lake'], 1),
      walk('4', ['oda', 'village', 'mill'], 0.5),
      walk('5', ['oda', 'bridge', 'peak'], 6),
    ],
  },
  {
    message: 'Is the cave safe? Mara believes so',
    operations: [
      {
        name: 'Belief/cave-by-mara',
        about: 'Location/cave',
        data: { safe: true, by: 'Person/mara', why: 'I slept there' },
      },
    ],
  },
  {
    message: 'After the storm: the bridge is gone, and the cave is dangerous',
    operations: [
      { operation: 'revise', name: 'Location/cave', data: { x: 3, y: 4, danger: 0.9, label: 'The old cave' } },
      { operation: 'revise', name: 'Location/forest', data: { x: 2, y: 2, danger: 0.5, label: 'The dark forest' } },
      { operation: 'retract', name: 'Location/bridge', reason: 'washed away' },
    ],
  },
  {
    message: 'Oda went to look, and disagrees with Mara',
    operations: [
      {
        name: 'Belief/cave-by-oda',
        about: 'Location/cave',
        data: { safe: false, by: 'Person/oda', why: 'The roof has come down at the back' },
      },
      {
        name: 'Reply/oda-to-mara',
        about: 'Belief/cave-by-mara',
        data: { text: 'That was before the storm', by: 'Person/oda' },
      },
    ],
  },
  {
    message: 'The forest gets a new name: the fallen wood',
    operations: [{ operation: 'rename', name: 'Location/forest', newName: 'Location/fallen-wood' }],
  },
  {
    message: 'Places can now say why they are closed',
    operations: [
      {
        operation: 'revise',
        name: 'Location',
        data: {
          ...PLACE,
          fields: {
            ...PLACE.fields,
            'closed?': { type: 'string', description: 'Why nobody should go there; absent if the place is open' },
          },
        },
      },
    ],
  },
  {
    message: 'The cave is closed until it is safe again',
    operations: [
      {
        operation: 'revise',
        name: 'Location/cave',
        data: { x: 3, y: 4, danger: 0.9, label: 'The old cave', closed: 'Stones fall from above' },
      },
    ],
  },
];

export async function writeValley(
  client: CairnClient,
  orgName: string,
  { name = DEMO_NAME, visibility = 'private' }: { name?: string; visibility?: 'public' | 'private' } = {},
): Promise<void> {
  await client.repo.create(orgName, name, { visibility, description: DEMO_DESCRIPTION });
  for (const step of VALLEY) await client.commit.submit(orgName, name, step);
}
