import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useLive } from '../../app/live.tsx';
import type { Sight } from '../../app/sight.ts';
import { readme } from '../../data/queries.ts';
import { Loaded } from '../../parts/loaded.tsx';

const Readme = lazy(async () => ({ default: (await import('./readme.tsx')).Readme }));

/** What its people say about the repository. */
export function ReadmeSection({ sight, isWritten }: { sight: Sight; isWritten: boolean }) {
  const { changed } = useLive();
  const written = useQuery({ ...readme(sight), enabled: isWritten });
  return (
    <section aria-labelledby="readme" className={changed.has('Content/Readme') ? 'changed readme' : 'readme'}>
      <h2 id="readme">Readme</h2>
      {isWritten ? (
        <Loaded query={written} what="the readme" isPart>
          {({ content }) => (
            <Suspense fallback={<p className="waiting">Loading the readme…</p>}>
              <Readme content={content} />
            </Suspense>
          )}
        </Loaded>
      ) : (
        <p className="quiet">
          None is written {sight.at === undefined ? 'yet' : 'at this sequence'}. To write one:{' '}
          <code>
            npx @cairn/cli repo content set readme {sight.orgName}/{sight.repoName} --file README.md
          </code>
        </p>
      )}
    </section>
  );
}
