import type { Repository } from '@cairn/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { moveBegun } from '../../app/begun.ts';
import { useNotice } from '../../app/notice.tsx';
import { whoami } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { ChoiceField } from '../../ui/field.tsx';

/** To another organization in which who moves it may make repositories. */
export function MoveRepository({ repository: { orgName, name } }: { repository: Repository }) {
  const { data: person } = useQuery(whoami);
  const [chosen, setChosen] = useState<string>();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const say = useNotice();
  const targets = (person !== undefined && 'access' in person ? person.access : [])
    .filter(({ resource, allowed }) => !resource.includes('/') && allowed.includes('org:configure'))
    .map(({ resource }) => resource)
    .filter((resource) => resource !== orgName);
  const [first] = targets;
  const newOrgName = chosen ?? first;
  const move = async () => {
    if (newOrgName === undefined) return;
    await client.repo.transfer(orgName, name, { newOrgName });
    moveBegun({ from: `${orgName}/${name}`, to: `${newOrgName}/${name}` });
    await queries.invalidateQueries({ queryKey: ['repositories'] });
    await navigate({ to: '/$orgName/$repoName/settings', params: { orgName: newOrgName, repoName: name } });
    say({ text: `It is at ${newOrgName}/${name} now.` });
  };
  return (
    <section>
      <h2>Organization</h2>
      <p>It belongs to {orgName}.</p>
      {newOrgName === undefined ? (
        <p className="quiet">
          It could be moved to another organization in which you may make repositories. There is none.
        </p>
      ) : (
        <Confirm action="Move it" title={`Move ${orgName}/${name} to another organization`} onConfirm={move}>
          <ChoiceField
            label="To"
            value={newOrgName}
            options={targets.map((value) => ({ value }))}
            onChange={setChosen}
          />
          <p>
            Who may do what is decided by the new organization then; roles of single people in this repository stay. Its
            address changes.
          </p>
        </Confirm>
      )}
    </section>
  );
}
