import type { Repository } from '@cairn/sdk';
import { Link } from '@tanstack/react-router';
import { toRepository } from '../../app/links.ts';
import { Moment } from '../../ui/byline.tsx';
import { Text } from '../../ui/text.tsx';

export const RepositoryList = ({ repositories }: { repositories: readonly Repository[] }) => (
  <ul className="cards">
    {repositories.map(({ orgName, name, description, visibility, archived, repoSeq, createdAt, lastCommitAt }) => (
      <li key={`${orgName}/${name}`}>
        <Link {...toRepository({ orgName: orgName, repoName: name })}>
          {orgName}/{name}
        </Link>{' '}
        {visibility === 'private' && <span className="label">private</span>}{' '}
        {archived && <span className="label">archived</span>}
        <p className="quiet">
          <Text>{description}</Text>
        </p>
        <p className="quiet">
          {repoSeq === 1 ? '1 commit' : `${repoSeq.toLocaleString('en')} commits`}
          {lastCommitAt !== undefined && (
            <>
              , last <Moment at={lastCommitAt} />
            </>
          )}
          ; created <Moment at={createdAt} />
        </p>
      </li>
    ))}
  </ul>
);
