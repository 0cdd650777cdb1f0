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
import { Section } from '../../ui/text.tsx';
import { Calls } from '../commit/calls.tsx';
import { Archive } from '../settings/archive.tsx';
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

function useRefresh(orgName: string) {
  const { queries, invalidate, say } = useFollowUp();
  return async (text: string) => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: organization(orgName).queryKey, exact: true }),
      invalidate(['organizations']),
      invalidate(['repositories']),
    ]);
    say({ text });
  };
}

function Sections({ organization: found }: { organization: Organization }) {
  const { name: orgName } = found;
  const refresh = useRefresh(orgName);
  return (
    <div className="settings">
      <Section title="About">
        <AboutForm
          displayName={found.displayName}
          description={found.description}
          onSave={(about) => client.org.update(orgName, about)}
          onSaved={() => refresh('The description of the organization was saved.')}
        />
      </Section>
      <Section title="Deleted repositories">
        <DeletedRepositories orgName={orgName} />
      </Section>
      <PermittedSections place={{ orgName }} scope="org:admin" title="Name and archive">
        <Name name={orgName} />
        <Archive
          name={orgName}
          what="organization with its repositories"
          isArchived={found.archived}
          onChange={(isArchived) => client.org[isArchived ? 'archive' : 'unarchive'](orgName)}
          onChanged={refresh}
          note="Organizations cannot be deleted. Delete repositories in their own settings."
        />
      </PermittedSections>
    </div>
  );
}

function Name({ name }: { name: string }) {
  const { invalidate, navigate, say } = useFollowUp();
  return (
    <Section title="Name">
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
          await invalidate(['organizations'], ['repositories'], ['whoami']);
          say({ text: `Renamed to ${newName}.` });
        }}
      />
    </Section>
  );
}

function DeletedRepositories({ orgName }: { orgName: string }) {
  const list = useInfiniteQuery(deletedRepositories(orgName));
  const { invalidate, navigate, say } = useFollowUp();
  const restore = async (repoName: string) => {
    await client.repo.restore(orgName, repoName);
    await navigate(toRepository({ orgName, repoName }));
    await invalidate(['repositories']);
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
