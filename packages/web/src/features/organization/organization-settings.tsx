import type { Organization } from '@cairn/sdk';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { moveBegun } from '../../app/begun.ts';
import { toOrganizationSettings, toRepository } from '../../app/links.ts';
import { useFollowUp } from '../../app/notice.tsx';
import { Permitted, PermittedSections } from '../../app/permitted.tsx';
import { deletedRepositories, organization } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { Moment } from '../../ui/byline.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { List } from '../../ui/list.tsx';
import { Loaded, Page, PagedList } from '../../ui/page.tsx';
import { Calls } from '../commit/calls.tsx';
import { RenameForm } from '../settings/rename-form.tsx';
import { AboutForm } from './about-fields.tsx';

export function OrganizationSettings() {
  const { orgName } = useParams({ from: '/$orgName' });

  const itself = useQuery(organization(orgName));
  return (
    <Page title="Settings" within={orgName}>
      <Permitted place={{ orgName }} scope="org:configure">
        <Loaded query={itself} what="the organization" isPart>
          {(found) => <Sections organization={found} />}
        </Loaded>
        <Calls shown={[{ what: 'The organization', procedure: 'org.get', command: 'org view' }]} />
      </Permitted>
    </Page>
  );
}

interface SectionProps {
  readonly organization: Organization;
}

function useRefresh(orgName: string) {
  const { queries, say } = useFollowUp();
  return async (text: string) => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: organization(orgName).queryKey, exact: true }),
      queries.invalidateQueries({ queryKey: ['organizations'] }),
      queries.invalidateQueries({ queryKey: ['repositories'] }),
    ]);
    say({ text });
  };
}

function Sections({ organization: found }: SectionProps) {
  const { name: orgName } = found;
  const refresh = useRefresh(orgName);
  return (
    <div className="settings">
      <section>
        <h2>About</h2>
        <AboutForm
          displayName={found.displayName}
          description={found.description}
          onSave={(about) => client.org.update(orgName, about)}
          onSaved={() => refresh('The description of the organization was saved.')}
        />
      </section>
      <section>
        <h2>Deleted repositories</h2>
        <DeletedRepositories orgName={orgName} />
      </section>
      <PermittedSections place={{ orgName }} scope="org:admin" title="Name and archive">
        <Name organization={found} />
        <Archive organization={found} onChanged={refresh} />
      </PermittedSections>
    </div>
  );
}

function Name({ organization: { name } }: SectionProps) {
  const { queries, navigate, say } = useFollowUp();
  return (
    <section>
      <h2>Name</h2>
      <RenameForm
        of="organization"
        name={name}
        hint="This changes the addresses of all its repositories. The old name stays reserved for 90 days."
        fullName={(one) => one}
        broken={`Update links to ${name} and its repositories, and programs that use them.`}
        onRename={(newName) => client.org.rename(name, { newName })}
        onRenamed={async (newName) => {
          moveBegun({ from: name, to: newName });
          await navigate(toOrganizationSettings(newName));
          await Promise.all(
            ['organizations', 'repositories', 'whoami'].map((key) => queries.invalidateQueries({ queryKey: [key] })),
          );
          say({ text: `Renamed to ${newName}.` });
        }}
      />
    </section>
  );
}

interface ArchiveProps extends SectionProps {
  readonly onChanged: (text: string) => Promise<unknown>;
}

function Archive({ organization: { name, archived }, onChanged }: ArchiveProps) {
  const change = async () => {
    if (archived) await client.org.unarchive(name);
    else await client.org.archive(name);
    await onChanged(archived ? `${name} is writable again.` : `${name} and all its repositories are archived.`);
  };
  return (
    <section>
      <h2>Archive</h2>
      <p>
        {archived
          ? 'This organization is archived. It and its repositories are read-only.'
          : 'Archiving makes the organization and its repositories read-only.'}{' '}
        Organizations cannot be deleted. Delete repositories in their own settings.
      </p>
      <Confirm
        action={archived ? 'Unarchive' : 'Archive'}
        title={archived ? `Unarchive ${name}?` : `Archive ${name}?`}
        onConfirm={change}
      >
        <p>
          {archived
            ? 'The organization and its repositories become writable again.'
            : 'The organization and its repositories become read-only until you unarchive it here.'}
        </p>
      </Confirm>
    </section>
  );
}

function DeletedRepositories({ orgName }: { orgName: string }) {
  const list = useInfiniteQuery(deletedRepositories(orgName));
  const { queries, navigate, say } = useFollowUp();
  const restore = async (repoName: string) => {
    await client.repo.restore(orgName, repoName);
    await navigate(toRepository({ orgName, repoName }));
    await queries.invalidateQueries({ queryKey: ['repositories'] });
    say({ text: `${orgName}/${repoName} was restored.` });
  };
  return (
    <PagedList query={list} what="deleted repositories" none={<p className="quiet">No deleted repositories.</p>}>
      {(items) => (
        <List className="entries" label="Deleted repositories" items={items} keyOf={({ name }) => name}>
          {({ name, deletedAt }) => (
            <>
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
                <p>This restores the repository with the same data and access.</p>
              </Confirm>
            </>
          )}
        </List>
      )}
    </PagedList>
  );
}
