import type { RepositoryDescription } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import type { ReadCall } from '../../app/calls.ts';
import { toCommits, toEditText, toRecords, toShapes } from '../../app/links.ts';
import { useLive } from '../../app/live.tsx';
import { useWritable } from '../../app/may.ts';
import { description, latestCommits, repositoryText } from '../../app/queries.ts';
import { atOf, type Sight, useSight } from '../../app/sight.ts';
import { Loaded, useTitle } from '../../ui/page.tsx';
import { CodeBlock, CommandNote, LongText, Section, Text } from '../../ui/text.tsx';
import { AddRecordLink, AddShapeLink, ImportLink, WriteLinks } from '../change/writable.tsx';
import { Calls } from '../commit/calls.tsx';
import { CommitList } from '../commit/commit-list.tsx';
import { Restoring } from '../import/restoring.tsx';
import { ShapeTable } from '../shape/shape-table.tsx';
import { broughtAlong } from './activity.ts';
import { Activity } from './activity.tsx';
import { TEXT_RECORDS } from './repository-text.ts';

export function Overview() {
  const sight = useSight();
  useTitle(`${sight.orgName}/${sight.repoName}`);
  const described = useQuery(description(sight));
  return (
    <>
      <Loaded query={described} what="the repository">
        {(found) => <RepositoryContents sight={sight} described={found} />}
      </Loaded>
      <Calls shown={shownOn(sight)} />
    </>
  );
}

function RepositoryContents({ sight, described }: { sight: Sight; described: RepositoryDescription }) {
  const { repository, repoSeq, contents } = described;
  return (
    <>
      <h1>
        <Text>{repository.displayName}</Text>
        <span className="label">{repository.visibility}</span>
        {repository.archived && <span className="label">archived</span>}
      </h1>
      {repository.description !== '' && <LongText>{repository.description}</LongText>}
      <Restoring sight={sight} />
      {repoSeq === 0 ? (
        <FirstSteps sight={sight} />
      ) : (
        <>
          <WriteLinks sight={sight}>
            <AddRecordLink sight={sight} />
            <AddShapeLink sight={sight} />
            <ImportLink sight={sight} />
          </WriteLinks>
          <div className="overview">
            <div>
              <Counts sight={sight} described={described} />
              <ReadmeSection sight={sight} contents={contents} />
              <ShapesSection sight={sight} described={described} />
            </div>
            <div>
              <Activity sight={sight} />
              <LatestCommits sight={sight} />
            </div>
          </div>
        </>
      )}
    </>
  );
}

function shownOn(sight: Sight): readonly ReadCall[] {
  const options = atOf(sight);
  return [
    { what: 'The contents: counts, and shapes with their fields', procedure: 'repo.describe', options },
    {
      what: 'The readme',
      procedure: 'repo.getContent',
      given: ['readme'],
      names: ['name'],
      command: 'repo content get',
      options,
    },
    { what: 'The latest commits', procedure: 'commit.log', options: { limit: COMMITS_SHOWN, ...options } },
  ];
}

const SHAPES_SHOWN = 30;

const ShapesSection = ({ sight, described }: { sight: Sight; described: RepositoryDescription }) => (
  <Section id="shapes" title="Shapes">
    <p className="hint">
      A shape defines the fields of its records. Select a name to see the fields, or a number to see the records.
    </p>
    <ShapeTable sight={sight} described={described} most={SHAPES_SHOWN} />
  </Section>
);

const COMMITS_SHOWN = 10;

function LatestCommits({ sight }: { sight: Sight }) {
  const commits = useQuery(latestCommits(sight, COMMITS_SHOWN));
  return (
    <Section id="latest-commits" title="Latest commits">
      <Loaded query={commits} what="commits" isPart>
        {({ items, nextCursor }) => (
          <>
            <CommitList sight={sight} commits={items} />
            {nextCursor !== undefined && <Link {...toCommits(sight)}>All commits</Link>}
          </>
        )}
      </Loaded>
    </Section>
  );
}

type Kind = keyof RepositoryDescription['counts'];

const KINDS: readonly { readonly kind: Kind; readonly many: string; readonly hint: string }[] = [
  { kind: 'thing', many: 'Things', hint: 'Independent records: a place, a person, an event.' },
  { kind: 'assertion', many: 'Assertions', hint: 'Claims about another record.' },
  { kind: 'collection', many: 'Collections', hint: 'Records that connect others: an arc, a set, a list.' },
  { kind: 'shape', many: 'Shapes', hint: 'Definitions of the fields of records.' },
];

function Counts({ sight, described }: { sight: Sight; described: RepositoryDescription }) {
  const brought: Partial<Record<Kind, string>> = broughtAlong(described);
  return (
    <dl className="counts kinds">
      {KINDS.map(({ kind, many, hint }) => (
        <div key={kind}>
          <dt>{many}</dt>
          <dd>
            <Link {...(kind === 'shape' ? toShapes(sight) : toRecords(sight, { kind }))}>
              {described.counts[kind].toLocaleString('en')}
            </Link>
          </dd>
          <dd className="hint">
            {hint} {brought[kind]}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function FirstSteps({ sight }: { sight: Sight }) {
  const { orgName, repoName } = sight;
  const repo = `${orgName}/${repoName}`;
  return (
    <Section id="first-steps" title="This repository is empty">
      <p>
        A repository holds records. A shape defines the fields of its records, and each change is a commit. Start with a
        shape and a record.
      </p>
      <WriteLinks sight={sight}>
        <AddShapeLink sight={sight} />
        <ImportLink sight={sight} />
      </WriteLinks>
      <p>
        Programs need a token with write access. Create one under <Link to="/-/tokens">Tokens</Link>. <CommandNote />{' '}
        For a step-by-step guide, see <a href="/docs/get-started">Get started</a>.
      </p>
      <h3>With the CLI</h3>
      <CodeBlock>{byCommand(repo)}</CodeBlock>
      <h3>With the SDK</h3>
      <CodeBlock>{bySdk(orgName, repoName)}</CodeBlock>
      <p className="quiet">New records appear on this page automatically.</p>
    </Section>
  );
}

const byCommand = (repo: string): string => `export CAIRN_URL=${window.location.origin} CAIRN_REPO=${repo} CAIRN_TOKEN=…
cairn shape create Place --fields '{"label":"string"}' --description 'A place that you can walk to'
cairn commit submit --add Place/cave --data '{"label":"The old cave"}' --message 'The first place'`;

const bySdk = (orgName: string, repoName: string): string => `import { CairnClient } from '@cairn/sdk';

const client = CairnClient.fromEnv(); // CAIRN_URL=${window.location.origin} CAIRN_TOKEN=...
await client.shape.create('${orgName}', '${repoName}', 'Place', { fields: { label: 'string' } });
await client.commit.submit('${orgName}', '${repoName}', {
  message: 'The first place',
  operations: [{ operation: 'add', name: 'Place/cave', data: { label: 'The old cave' } }],
});`;

const Readme = lazy(async () => ({ default: (await import('./readme.tsx')).Readme }));

function ReadmeSection({ sight, contents }: { sight: Sight; contents: readonly string[] }) {
  const { changed } = useLive();
  const isWritten = contents.includes('readme');
  const isWritable = useWritable(sight);
  const written = useQuery({ ...repositoryText(sight, 'readme'), enabled: isWritten });
  return (
    <Section id="readme" title="Readme" className={changed.has(TEXT_RECORDS.readme) ? 'changed readme' : 'readme'}>
      {isWritable && (
        <p className="page-actions">
          <Link {...toEditText(sight, 'readme')}>{isWritten ? 'Edit' : 'Add'} readme</Link>
          <Link {...toEditText(sight, 'agents')}>
            {contents.includes('agents') ? 'Edit' : 'Add'} instructions for agents
          </Link>
        </p>
      )}
      {isWritten ? (
        <Loaded query={written} what="the readme" isPart>
          {({ content }) => (
            <Suspense fallback={<p className="waiting">Loading readme…</p>}>
              <Readme sight={sight} content={content} />
            </Suspense>
          )}
        </Loaded>
      ) : (
        <p className="quiet">No readme {sight.at === undefined ? 'yet' : 'at this sequence'}.</p>
      )}
    </Section>
  );
}
