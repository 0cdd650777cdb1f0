import { timeText } from '@cairn/protocol/time-text';
import type { Repository } from '@cairn/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useNotice } from '../../app/notice.tsx';
import { repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { Confirm } from '../../ui/confirm.tsx';

export function DeleteRepository({ repository: { orgName, name } }: { repository: Repository }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useNotice();
  const forget = async () => {
    queries.removeQueries({ queryKey: repositoryKey({ orgName, repoName: name }) });
    await queries.invalidateQueries({ queryKey: ['repositories'] });
  };
  const restore = async () => {
    await client.repo.restore(orgName, name);
    await forget();
    await navigate({ to: '/$orgName/$repoName', params: { orgName, repoName: name } });
    say({ text: `${orgName}/${name} is back, as it was.` });
  };
  const remove = async () => {
    const { finalAt } = await client.repo.delete(orgName, name);
    await navigate({ to: '/$orgName', params: { orgName } });
    await forget();
    say({
      text: `${orgName}/${name} is deleted. Until ${timeText(finalAt, 'day')} it can be restored, here and in the settings of ${orgName}.`,
      undo: { label: 'Restore it', run: restore },
    });
  };
  return (
    <section>
      <h2>Delete</h2>
      <p>Nobody sees it from then on. For 30 days it can be restored, and nobody else can have its name.</p>
      <Confirm action="Delete it" title={`Delete ${orgName}/${name}?`} typed={`${orgName}/${name}`} onConfirm={remove}>
        <p>
          It goes with all that it ever was. For 30 days it can be restored in the settings of {orgName}; after that
          nobody can bring it back.
        </p>
      </Confirm>
    </section>
  );
}
