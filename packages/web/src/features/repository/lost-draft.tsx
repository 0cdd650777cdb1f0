import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { moveBegun } from '../../app/begun.ts';
import { toDraft, toOrganizationSettings } from '../../app/links.ts';
import { repositoryFate } from '../../app/queries.ts';
import type { RepositoryName, Sight } from '../../app/sight.ts';
import { Button } from '../../ui/button.tsx';
import { Moment } from '../../ui/byline.tsx';
import { Section } from '../../ui/text.tsx';
import { useDraft, useDraftOrigin } from '../change/kept-draft.ts';
import { StrandedDraft } from '../change/stranded-draft.tsx';

export function LostDraft({ sight }: { sight: Sight }) {
  const draft = useDraft(sight);
  const origin = useDraftOrigin(sight);
  const { data: fate } = useQuery({ ...repositoryFate(origin ?? 0), enabled: origin !== undefined });
  if (draft.changes.length === 0) return null;
  return (
    <Section title="Your draft">
      {origin !== undefined && <DraftMoved sight={sight} createdAt={origin} />}
      <StrandedDraft draft={draft} isMoved={fate?.kind === 'renamed'} />
    </Section>
  );
}

export function DraftMoved({ sight, createdAt }: { sight: Sight; createdAt: number }) {
  const { data: fate } = useQuery(repositoryFate(createdAt));
  if (fate?.kind === 'renamed') return <GoOn sight={sight} to={fate} />;
  const { orgName } = sight;
  if (fate === undefined) return null;
  if (fate.kind === 'unknown') {
    return <p>If the repository still exists, an admin of {orgName} can give you access.</p>;
  }
  return (
    <p>
      The repository of your draft was deleted (<Moment at={fate.at} />
      ). You can restore it for 30 days in the <Link {...toOrganizationSettings(orgName)}>settings of {orgName}</Link>.
    </p>
  );
}

function GoOn({ sight, to: { orgName, repoName } }: { sight: Sight; to: RepositoryName }) {
  const { changes, clear } = useDraft(sight);
  const there = useDraft({ orgName, repoName });
  const navigate = useNavigate();
  const name = `${orgName}/${repoName}`;
  const goOn = async () => {
    if (there.changes.length === 0) moveBegun({ from: `${sight.orgName}/${sight.repoName}`, to: name });
    else {
      there.restore(changes, changes);
      clear();
    }
    await navigate(toDraft({ orgName, repoName }));
  };
  return (
    <>
      <p>The repository of your draft was renamed to {name}.</p>
      <p>
        <Button onClick={() => void goOn()}>Continue in {name}</Button>
      </p>
    </>
  );
}
