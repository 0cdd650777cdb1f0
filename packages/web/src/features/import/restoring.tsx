import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toImport } from '../../app/links.ts';
import { useMay } from '../../app/may.ts';
import { repository, repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import type { Sight } from '../../app/sight.ts';
import { useWorkOf } from '../../app/work.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { focusContent } from '../../ui/page.tsx';

/** A restore may have been abandoned, so the page offers to abort it. */
export function Restoring({ sight, isImport = false }: { sight: Sight; isImport?: boolean }) {
  const { orgName, repoName } = sight;
  const { data } = useQuery(repository(sight));
  const isSentHere = useWorkOf(`/${orgName}/${repoName}/import`)?.now.state === 'running';
  const may = useMay(sight, 'repo:admin');
  if (data?.importing !== true) return null;
  return (
    <div className="restoring">
      <p>
        An export is being restored into this repository. Until that is complete, the repository is empty and read-only.
      </p>
      {may === true && !isSentHere && (
        <>
          <p>
            If the upload was interrupted,{' '}
            {isImport ? (
              'choose the same file below'
            ) : (
              <Link {...toImport({ orgName, repoName })}>import the same file again</Link>
            )}{' '}
            to resume it. Or abort the import.
          </p>
          <Abort sight={sight} />
        </>
      )}
    </div>
  );
}

function Abort({ sight }: { sight: Sight }) {
  const { orgName, repoName } = sight;
  const queries = useQueryClient();
  const abort = async () => {
    await client.repo.abortImport(orgName, repoName);
    await queries.invalidateQueries({ queryKey: repositoryKey(sight) });
  };
  return (
    <Confirm
      action="Abort the import"
      title={`Abort the import into ${orgName}/${repoName}?`}
      onConfirm={abort}
      onDone={focusContent}
    >
      <p>
        This deletes the data that was uploaded so far. The repository returns to its earlier state, and you can import
        the file again.
      </p>
    </Confirm>
  );
}
