import type { RepositoryDescription } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import type { Shown } from '../../app/calls.ts';
import { Calls } from '../../app/calls.tsx';
import { description } from '../../app/queries.ts';
import { atOf, type Sight, useSight } from '../../app/sight.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { LongText, Text } from '../../ui/text.tsx';
import { useTitle } from '../../ui/title.ts';
import { AddRecordLink, AddShapeLink, ImportLink, WriteLinks } from '../change/write-links.tsx';
import { Restoring } from '../import/restoring.tsx';
import { Activity } from './activity.tsx';
import { Counts } from './counts.tsx';
import { FirstSteps } from './first-steps.tsx';
import { COMMITS_SHOWN, LatestCommits } from './latest-commits.tsx';
import { ReadmeSection } from './readme-section.tsx';
import { ShapesSection } from './shapes-section.tsx';
import '../../ui/css/page.css';
import '../../ui/css/overview.css';

/** What is in a repository, what it is for, and what happened in it, for who sees it for the first time. */
export function Overview() {
  const sight = useSight();
  useTitle(`${sight.orgName}/${sight.repoName}`);
  const described = useQuery(description(sight));
  return (
    <>
      <Loaded query={described} what="what is in it">
        {(found) => <Described sight={sight} described={found} />}
      </Loaded>
      <Calls shown={shownOn(sight)} />
    </>
  );
}

function Described({ sight, described }: { sight: Sight; described: RepositoryDescription }) {
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

function shownOn(sight: Sight): readonly Shown[] {
  const options = atOf(sight);
  return [
    { what: 'What is in it: counts, and shapes with their fields', procedure: 'repo.describe', options },
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
