import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useNotice } from '../../app/notice.tsx';
import { deletedRepositories } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Moment } from '../../ui/moment.tsx';
import { MorePages } from '../../ui/more-pages.tsx';

/** Those that can still be brought back. */
export function DeletedRepositories({ orgName }: { orgName: string }) {
  const list = useInfiniteQuery(deletedRepositories(orgName));
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useNotice();
  const restore = async (repoName: string) => {
    await client.repo.restore(orgName, repoName);
    await navigate({ to: '/$orgName/$repoName', params: { orgName, repoName } });
    await queries.invalidateQueries({ queryKey: ['repositories'] });
    say({ text: `${orgName}/${repoName} is back, as it was.` });
  };
  return (
    <>
      <Loaded query={list} what="deleted repositories" isPart>
        {({ pages }) => {
          const items = pages.flatMap((page) => page.items);
          if (items.length === 0) return <p className="quiet">There is none that could be restored.</p>;
          return (
            <ul className="entries" aria-label="Deleted repositories">
              {items.map(({ name, deletedAt }) => (
                <li key={name}>
                  <div>
                    {orgName}/{name}{' '}
                    {deletedAt !== undefined && (
                      <span className="quiet">
                        deleted <Moment at={deletedAt} />
                      </span>
                    )}
                  </div>
                  <Confirm
                    action="Restore"
                    label={`Restore ${name}`}
                    title={`Restore ${orgName}/${name}?`}
                    onConfirm={() => restore(name)}
                    isSmall
                  >
                    <p>It comes back as it was, for those who saw it.</p>
                  </Confirm>
                </li>
              ))}
            </ul>
          );
        }}
      </Loaded>
      <MorePages query={list} what="deleted repositories" />
    </>
  );
}
