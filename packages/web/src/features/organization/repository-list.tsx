import type { Repository } from '@cairn/sdk';
import { Link } from '@tanstack/react-router';
import { toRepository } from '../../app/links.ts';
import { Moment } from '../../ui/byline.tsx';
import { List } from '../../ui/list.tsx';
import { Text } from '../../ui/text.tsx';

export const RepositoryList = ({ repositories }: { repositories: readonly Repository[] }) => (
  <List className="cards" items={repositories} keyOf={({ orgName, name }) => `${orgName}/${name}`}>
    {({ orgName, name, description, visibility, archived, repoSeq, createdAt, lastCommitAt }) => (
      <>
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
      </>
    )}
  </List>
);
