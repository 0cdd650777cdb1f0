import type { ComponentReport } from '@cairn/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNotice } from '../../app/notice.tsx';
import { repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import type { Sight } from '../../app/sight.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { type ComponentName, refOf, resolution } from './component.ts';
import { lacksSetupAlone, leftToSetup } from './manifest.ts';
import { ManifestWords } from './manifest-words.tsx';

interface ComponentActionsProps {
  readonly sight: Sight;
  readonly name: ComponentName;
  readonly report: ComponentReport;
  readonly isBusy: boolean;
  readonly onBegin: (verb: 'install' | 'update') => void;
}

export function ComponentActions({ sight, name, report, isBusy, onBegin }: ComponentActionsProps) {
  const { orgName, repoName } = sight;
  const ref = refOf(name);
  const queries = useQueryClient();
  const say = useNotice();
  const after = async (text: string) => {
    await queries.invalidateQueries({ queryKey: repositoryKey(sight) });
    say({ text });
  };
  const pause = async () => {
    await client.component.pause(orgName, repoName, ref);
    await after(`${ref} rests.`);
  };
  const resume = async () => {
    await client.component.resume(orgName, repoName, ref);
    await after(`${ref} goes on.`);
  };
  const tearDown = async () => {
    const { uninstall } = await client.component.teardown(orgName, repoName, ref);
    const told = uninstall.status === 'failed' ? ' Its maker could not be told of it.' : '';
    await after(`${ref} is torn down. What was written stays.${told}`);
  };
  const isPaused = report.state === 'paused';
  const { data: asked, isPending } = useQuery(resolution(sight, name));
  const left = asked?.hasSetup === false ? leftToSetup(asked.manifest, { orgName, repoName }) : [];
  const isInVain = isPending || lacksSetupAlone(report.findings, left);
  const isOutdated = report.findings.some(({ code }) => code === 'newer-version');
  return (
    <div className="actions">
      {isOutdated && <Update sight={sight} name={name} onUpdate={() => onBegin('update')} />}
      {!isPaused && !isInVain && (
        <button type="button" className="secondary" disabled={isBusy} onClick={() => onBegin('install')}>
          Install it again
        </button>
      )}
      <Confirm
        action={isPaused ? 'Resume' : 'Pause'}
        title={isPaused ? `Go on with ${ref}?` : `Pause ${ref}?`}
        onConfirm={isPaused ? resume : pause}
      >
        <p>
          {isPaused
            ? 'Its tokens are taken again, and it is told of what happens from then on.'
            : 'Its tokens are refused, it is told of nothing, and its commands are not called, until it is resumed here.'}
        </p>
      </Confirm>
      <Confirm action="Tear down" title={`Tear down ${ref}?`} onConfirm={tearDown}>
        <p>
          Its tokens end at once, and it is told of nothing more. What was written stays, and its shapes are yours. It
          can be installed again.
        </p>
      </Confirm>
    </div>
  );
}

interface UpdateProps extends Pick<ComponentActionsProps, 'sight' | 'name'> {
  readonly onUpdate: () => void;
}

function Update({ sight, name, onUpdate }: UpdateProps) {
  const asked = useQuery(resolution(sight, name));
  const place = { orgName: sight.orgName, repoName: sight.repoName };
  return (
    <Confirm
      action="Update"
      title={`Bring ${refOf(name)} to its latest version?`}
      onConfirm={() => {
        onUpdate();
        return Promise.resolve();
      }}
    >
      <Loaded query={asked} what="what it asks for" isPart>
        {({ manifest, version }) => (
          <>
            <p>This is what version {version} is given. Nothing is deleted.</p>
            <ManifestWords manifest={manifest} place={place} />
          </>
        )}
      </Loaded>
    </Confirm>
  );
}
