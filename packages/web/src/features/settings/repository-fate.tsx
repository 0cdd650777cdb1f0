import { timeText } from '@cairn/model/time-text';
import type { Repository } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { moveBegun } from '../../app/begun.ts';
import { toOrganization, toRepository } from '../../app/links.ts';
import { useFollowUp } from '../../app/notice.tsx';
import { repositoryKey, whoami } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { ChoiceField } from '../../ui/field.tsx';
import { RenameForm } from './rename-form.tsx';

interface FateProps {
  readonly repository: Repository;
  readonly onChanged: (text: string) => Promise<unknown>;
}

export const RepositoryFate = ({ repository, onChanged }: FateProps) => (
  <>
    <Visibility repository={repository} onChanged={onChanged} />
    <Name repository={repository} />
    <MoveRepository repository={repository} />
    <Archive repository={repository} onChanged={onChanged} />
    <DeleteRepository repository={repository} />
  </>
);

function Visibility({ repository: { orgName, name, visibility }, onChanged }: FateProps) {
  const next = visibility === 'public' ? 'private' : 'public';
  const change = async () => {
    await client.repo.setVisibility(orgName, name, { visibility: next });
    await onChanged(`The repository is ${next} now.`);
  };
  return (
    <section>
      <h2>Who may read it</h2>
      <p>
        {visibility === 'public'
          ? 'It is public: everybody may read it, without signing in.'
          : 'It is private: those alone who have a role may read it.'}
      </p>
      <Confirm action={`Make it ${next}`} title={`Make ${orgName}/${name} ${next}?`} onConfirm={change}>
        <p>
          {next === 'public'
            ? 'Everybody may read it then, with all that it ever was. It can be made private again; what was read is read.'
            : 'Who has no role does not see it any more from that moment on. It can be made public again.'}
        </p>
      </Confirm>
    </section>
  );
}

function Name({ repository: { orgName, name } }: Pick<FateProps, 'repository'>) {
  const { queries, navigate, say } = useFollowUp();
  return (
    <section>
      <h2>Name</h2>
      <RenameForm
        of="repository"
        name={name}
        hint="The old name is free at once: addresses and scripts that use it must be changed. Tokens and roles follow."
        fullName={(one) => `${orgName}/${one}`}
        broken={`Links to ${orgName}/${name}, and programs that use it, find nothing there from then on. It can be renamed back as long as nobody else takes the name.`}
        onRename={(newName) => client.repo.rename(orgName, name, { newName })}
        onRenamed={async (newName) => {
          moveBegun({ from: `${orgName}/${name}`, to: `${orgName}/${newName}` });
          await queries.invalidateQueries({ queryKey: ['repositories'] });
          await navigate({ to: '/$orgName/$repoName/settings', params: { orgName, repoName: newName } });
          say({ text: `It is called ${orgName}/${newName} now.` });
        }}
      />
    </section>
  );
}

function Archive({ repository: { orgName, name, archived }, onChanged }: FateProps) {
  const change = async () => {
    if (archived) await client.repo.unarchive(orgName, name);
    else await client.repo.archive(orgName, name);
    await onChanged(archived ? 'It takes writes again.' : 'It is archived, and takes no writes.');
  };
  return (
    <section>
      <h2>Archive</h2>
      <p>
        {archived
          ? 'It is archived: it is read as before, and takes no writes.'
          : 'It is not archived: who may write can write to it.'}
      </p>
      <Confirm
        action={archived ? 'Unarchive it' : 'Archive it'}
        title={archived ? `Unarchive ${orgName}/${name}?` : `Archive ${orgName}/${name}?`}
        onConfirm={change}
      >
        <p>
          {archived
            ? 'It takes writes again.'
            : 'It is read as before, and takes no more writes until it is unarchived here.'}
        </p>
      </Confirm>
    </section>
  );
}

function DeleteRepository({ repository: { orgName, name } }: { repository: Repository }) {
  const { queries, navigate, say } = useFollowUp();
  const forget = async () => {
    queries.removeQueries({ queryKey: repositoryKey({ orgName, repoName: name }) });
    await queries.invalidateQueries({ queryKey: ['repositories'] });
  };
  const restore = async () => {
    await client.repo.restore(orgName, name);
    await forget();
    await navigate(toRepository({ orgName: orgName, repoName: name }));
    say({ text: `${orgName}/${name} is back, as it was.` });
  };
  const remove = async () => {
    const { finalAt } = await client.repo.delete(orgName, name);
    await navigate(toOrganization(orgName));
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

function MoveRepository({ repository: { orgName, name } }: { repository: Repository }) {
  const { data: person } = useQuery(whoami);
  const [chosen, setChosen] = useState<string>();
  const { queries, navigate, say } = useFollowUp();
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
