import type { Repository } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useFollowUp } from '../../app/notice.tsx';
import { Permitted, PermittedSections } from '../../app/permitted.tsx';
import { repository, repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { homeName, useSight } from '../../app/sight.ts';
import { ActionForm, useForm } from '../../ui/action-form.tsx';
import { TickField } from '../../ui/field.tsx';
import { Loaded, Page, PresentOnly } from '../../ui/page.tsx';
import { Section } from '../../ui/text.tsx';
import { Calls } from '../commit/calls.tsx';
import { AboutForm } from '../organization/about-fields.tsx';
import { RepositoryFate } from './repository-fate.tsx';
import { RoleHolders } from './role-holders.tsx';

export function RepositorySettings() {
  const sight = useSight();
  const { orgName, repoName } = sight;
  const itself = useQuery(repository(sight));
  return (
    <Page title="Settings" within={homeName(sight)}>
      <PresentOnly>
        <Permitted place={{ orgName, repoName }} scope="repo:configure">
          <Loaded query={itself} what="the repository" isPart>
            {(found) => <Sections repository={found} />}
          </Loaded>
        </Permitted>
        <Calls shown={[{ what: 'The repository', procedure: 'repo.get', command: 'repo view' }]} />
      </PresentOnly>
    </Page>
  );
}

function useRefresh({ orgName, name }: Repository) {
  const { invalidate, say } = useFollowUp();
  return async (text: string) => {
    await invalidate([...repositoryKey({ orgName, repoName: name }), 'itself'], ['repositories']);
    say({ text });
  };
}

function Sections({ repository: found }: { repository: Repository }) {
  const { orgName, name: repoName } = found;
  const refresh = useRefresh(found);
  return (
    <div className="settings">
      <Section title="About">
        <AboutForm
          displayName={found.displayName}
          description={found.description}
          onSave={(about) => client.repo.update(orgName, repoName, about)}
          onSaved={() => refresh('The description of the repository was saved.')}
        />
      </Section>
      <Section title="Features">
        <Features repository={found} onSaved={() => refresh('The features were saved.')} />
      </Section>
      <Section title="Components">
        <p>
          <Link to="/$orgName/$repoName/operate/components" params={{ orgName, repoName }}>
            View installed components
          </Link>
        </p>
      </Section>
      <PermittedSections place={{ orgName, repoName }} scope="repo:admin" title="Access, name and deletion">
        <Section title="People">
          <RoleHolders orgName={orgName} repoName={repoName} />
        </Section>
        <RepositoryFate repository={found} onChanged={refresh} />
      </PermittedSections>
    </div>
  );
}

function Features({ repository: found, onSaved }: { repository: Repository; onSaved: () => unknown }) {
  const before = found.features.streamSubmissions;
  const { form, field } = useForm(
    { streamSubmissions: before },
    {
      run: (features) => client.repo.configure(found.orgName, found.name, { features }),
      done: onSaved,
    },
  );
  const { value: isStreaming, onChange } = field('streamSubmissions');
  return (
    <ActionForm label="Features" action="Save features" doing="Saving…" {...form} isReady={isStreaming !== before}>
      <TickField
        label="Streaming submissions"
        hint="Accepts operations line by line, for millions of records or endless streams."
        isTicked={isStreaming}
        onChange={onChange}
      />
    </ActionForm>
  );
}
