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
import { Section } from '../../ui/text.tsx';
import { Archive } from './archive.tsx';
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
    <Archive
      name={`${repository.orgName}/${repository.name}`}
      what="repository"
      isArchived={repository.archived}
      onChange={(isArchived) => client.repo[isArchived ? 'archive' : 'unarchive'](repository.orgName, repository.name)}
      onChanged={onChanged}
    />
    <DeleteRepository repository={repository} />
  </>
);

function Visibility({ repository: { orgName, name, visibility }, onChanged }: FateProps) {
  const next = visibility === 'public' ? 'private' : 'public';
  const change = async () => {
    await client.repo.setVisibility(orgName, name, { visibility: next });
    await onChanged(`The repository is now ${next}.`);
  };
  return (
    <Section title="Visibility">
      <p>
        {visibility === 'public'
          ? 'This repository is public: everyone can read it without signing in.'
          : 'This repository is private: only people with a role can read it.'}
      </p>
      <Confirm action={`Make ${next}`} title={`Make ${orgName}/${name} ${next}?`} onConfirm={change}>
        <p>
          {next === 'public'
            ? 'Everyone can then read the repository and its full history. You can make it private again later.'
            : 'People without a role lose access immediately. You can make it public again later.'}
        </p>
      </Confirm>
    </Section>
  );
}

function Name({ repository: { orgName, name } }: Pick<FateProps, 'repository'>) {
  const { invalidate, navigate, say } = useFollowUp();
  return (
    <Section title="Name">
      <RenameForm
        of="repository"
        name={name}
        hint="The old name becomes available immediately. Update addresses and scripts that use it. Tokens and roles keep working."
        fullName={(one) => `${orgName}/${one}`}
        broken={`Links to ${orgName}/${name}, and programs that use it, stop working. You can rename it back as long as nobody else takes the name.`}
        onRename={(newName) => client.repo.rename(orgName, name, { newName })}
        onRenamed={async (newName) => {
          moveBegun({ from: `${orgName}/${name}`, to: `${orgName}/${newName}` });
          await invalidate(['repositories']);
          await navigate({ to: '/$orgName/$repoName/settings', params: { orgName, repoName: newName } });
          say({ text: `Renamed to ${orgName}/${newName}.` });
        }}
      />
    </Section>
  );
}

function DeleteRepository({ repository: { orgName, name } }: { repository: Repository }) {
  const { queries, invalidate, navigate, say } = useFollowUp();
  const forget = async () => {
    queries.removeQueries({ queryKey: repositoryKey({ orgName, repoName: name }) });
    await invalidate(['repositories']);
  };
  const restore = async () => {
    await client.repo.restore(orgName, name);
    await forget();
    await navigate(toRepository({ orgName: orgName, repoName: name }));
    say({ text: `${orgName}/${name} was restored.` });
  };
  const remove = async () => {
    const { finalAt } = await client.repo.delete(orgName, name);
    await navigate(toOrganization(orgName));
    await forget();
    say({
      text: `${orgName}/${name} was deleted. You can restore it until ${timeText(finalAt, 'day')}, here or in the settings of ${orgName}.`,
      undo: { label: 'Restore', run: restore },
    });
  };
  return (
    <Section title="Delete">
      <p>Nobody can access a deleted repository. You can restore it for 30 days, and its name stays reserved.</p>
      <Confirm action="Delete" title={`Delete ${orgName}/${name}?`} typed={`${orgName}/${name}`} onConfirm={remove}>
        <p>
          This deletes the repository and its full history. You can restore it in the settings of {orgName} for 30 days.
          After that it is gone.
        </p>
      </Confirm>
    </Section>
  );
}

function MoveRepository({ repository: { orgName, name } }: { repository: Repository }) {
  const { data: person } = useQuery(whoami);
  const [chosen, setChosen] = useState<string>();
  const { invalidate, navigate, say } = useFollowUp();
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
    await invalidate(['repositories']);
    await navigate({ to: '/$orgName/$repoName/settings', params: { orgName: newOrgName, repoName: name } });
    say({ text: `Moved to ${newOrgName}/${name}.` });
  };
  return (
    <Section title="Organization">
      <p>This repository belongs to {orgName}.</p>
      {newOrgName === undefined ? (
        <p className="quiet">
          You can move it to another organization in which you can create repositories. There is none.
        </p>
      ) : (
        <Confirm action="Move" title={`Move ${orgName}/${name} to another organization`} onConfirm={move}>
          <ChoiceField
            label="New organization"
            value={newOrgName}
            options={targets.map((value) => ({ value }))}
            onChange={setChosen}
          />
          <p>
            The members of the new organization get access instead. Roles in this repository remain. The address
            changes.
          </p>
        </Confirm>
      )}
    </Section>
  );
}
