import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useLive } from '../../app/live.tsx';
import { useWritable } from '../../app/may.ts';
import { repositoryText, type TextName } from '../../app/queries.ts';
import type { Sight } from '../../app/sight.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { TEXT_RECORDS } from './repository-text.ts';
import '../../ui/css/readme.css';

const Readme = lazy(async () => ({ default: (await import('./readme.tsx')).Readme }));

interface ReadmeSectionProps {
  readonly sight: Sight;
  /** The texts that are written. */
  readonly contents: readonly string[];
}

/** What its people say about the repository. */
export function ReadmeSection({ sight, contents }: ReadmeSectionProps) {
  const { changed } = useLive();
  const isWritten = contents.includes('readme');
  const isWritable = useWritable(sight);
  const written = useQuery({ ...repositoryText(sight, 'readme'), enabled: isWritten });
  return (
    <section aria-labelledby="readme" className={changed.has(TEXT_RECORDS.readme) ? 'changed readme' : 'readme'}>
      <h2 id="readme">Readme</h2>
      {isWritable && (
        <p className="page-actions">
          <TextLink sight={sight} textName="readme">
            {isWritten ? 'Edit the readme' : 'Write a readme'}
          </TextLink>
          <TextLink sight={sight} textName="agents">
            {contents.includes('agents') ? 'Edit the text for agents' : 'Write a text for agents'}
          </TextLink>
        </p>
      )}
      {isWritten ? (
        <Loaded query={written} what="the readme" isPart>
          {({ content }) => (
            <Suspense fallback={<p className="waiting">Loading the readme…</p>}>
              <Readme sight={sight} content={content} />
            </Suspense>
          )}
        </Loaded>
      ) : (
        <p className="quiet">None is written {sight.at === undefined ? 'yet' : 'at this sequence'}.</p>
      )}
    </section>
  );
}

interface TextLinkProps {
  readonly sight: Sight;
  readonly textName: TextName;
  readonly children: string;
}

function TextLink({ sight: { orgName, repoName }, textName, children }: TextLinkProps) {
  return (
    <Link to="/$orgName/$repoName/edit-text/$textName" params={{ orgName, repoName, textName }}>
      {children}
    </Link>
  );
}
