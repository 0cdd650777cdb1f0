import { ADVICE, FINDINGS } from '@cairn/protocol/vocabulary';
import type { ComponentReport, Finding } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toCredentialSet } from '../../app/links.ts';
import { useMay } from '../../app/may.ts';
import { useFollowUp } from '../../app/notice.tsx';
import { NotPermitted } from '../../app/permitted.tsx';
import { repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import type { Sight } from '../../app/sight.ts';
import { SecondaryButton } from '../../ui/button.tsx';
import { Author, Moment } from '../../ui/byline.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Facts } from '../../ui/list.tsx';
import { Loaded } from '../../ui/page.tsx';
import { ProblemText, Text } from '../../ui/text.tsx';
import { StateMark } from '../operate/state-mark.tsx';
import { type ComponentName, component, refOf, resolution, STATE_WORDS } from './component.ts';
import { lacksSetupAlone, leftToSetup } from './manifest.ts';
import { ManifestWords } from './manifest-words.tsx';

interface InstalledComponentProps {
  readonly sight: Sight;
  readonly name: ComponentName;
  readonly report: ComponentReport;
  readonly isBusy: boolean;
  readonly onBegin: (verb: 'install' | 'update') => void;
}

export function InstalledComponent({ sight, name, report, isBusy, onBegin }: InstalledComponentProps) {
  const mayManage = useMay(sight, 'repo:write');
  return (
    <>
      <p>
        <StateMark state={report.state} /> {STATE_WORDS[report.state]}
      </p>
      {report.message !== undefined && <ProblemText>{report.message}</ProblemText>}
      <InstallFacts report={report} />
      <h2>Findings</h2>
      {report.findings.length === 0 ? (
        <p>No problems found.</p>
      ) : (
        <ul className="findings">
          {report.findings.map((finding) => (
            <li
              key={`${finding.code} ${finding.subject ?? ''}`}
              className={ADVICE.includes(finding.code) ? 'advice' : undefined}
            >
              <FindingItem sight={sight} finding={finding} />
            </li>
          ))}
        </ul>
      )}
      <h2>Permissions and contents</h2>
      <Brought sight={sight} name={name} version={report.version} />
      {mayManage === true && (
        <ComponentActions sight={sight} name={name} report={report} isBusy={isBusy} onBegin={onBegin} />
      )}
      {mayManage === false && <NotPermitted place={sight} scope="repo:write" />}
    </>
  );
}

function Brought({ sight, name, version }: Pick<InstalledComponentProps, 'sight' | 'name'> & { version: string }) {
  const found = useQuery(component(name, version));
  return (
    <Loaded query={found} what="contents" isPart missing={<p>Unknown: the component is no longer in the registry.</p>}>
      {({ manifest }) => <ManifestWords manifest={manifest} place={sight} />}
    </Loaded>
  );
}

function InstallFacts({ report }: Pick<InstalledComponentProps, 'report'>) {
  const { version, latestVersion = version, granted, setup } = report;
  const isLatest = latestVersion === version;
  return (
    <Facts
      facts={{
        Version: <Text>{isLatest ? version : `${version} (${latestVersion} is available)`}</Text>,
        'Can read': <Text most={1_000}>{granted.reads.join(', ') || 'nothing'}</Text>,
        'Can write': <Text most={1_000}>{granted.writes.join(', ') || 'nothing'}</Text>,
        Setup: setup && <Text most={1_000}>{[setup.status, setup.message].filter(Boolean).join(': ')}</Text>,
        Installed: (
          <>
            <Moment at={report.installedAt} /> by <Author createdBy={report.installedBy} />
          </>
        ),
      }}
    />
  );
}

function FindingItem({ sight, finding }: { sight: Sight; finding: Finding }) {
  const { code, subject, message, credentialSet } = finding;
  return (
    <>
      <p>
        {FINDINGS[code]} {subject !== undefined && <Text>{subject}</Text>}
      </p>
      {credentialSet === undefined ? (
        <p>
          <Text most={1_000}>{message}</Text>
        </p>
      ) : (
        <UnsetKeys sight={sight} credentialSet={credentialSet} keys={finding.keys ?? []} />
      )}
    </>
  );
}

/** The server's message describes the command line. */
const UnsetKeys = ({
  sight,
  credentialSet,
  keys,
}: {
  sight: Sight;
  credentialSet: string;
  keys: readonly string[];
}) => (
  <p>
    Set <Text>{keys.join(', ')}</Text> in{' '}
    <Link {...toCredentialSet(sight, credentialSet)}>its credential set {credentialSet}</Link>. If its setup sets the
    values, install it again instead.
  </p>
);

interface ComponentActionsProps {
  readonly sight: Sight;
  readonly name: ComponentName;
  readonly report: ComponentReport;
  readonly isBusy: boolean;
  readonly onBegin: (verb: 'install' | 'update') => void;
}

function ComponentActions({ sight, name, report, isBusy, onBegin }: ComponentActionsProps) {
  const { orgName, repoName } = sight;
  const ref = refOf(name);
  const { invalidate, say } = useFollowUp();
  const after = async (text: string) => {
    await invalidate(repositoryKey(sight));
    say({ text });
  };
  const isPaused = report.state === 'paused';
  const turn = async () => {
    await client.component[isPaused ? 'resume' : 'pause'](orgName, repoName, ref);
    await after(isPaused ? `${ref} is resumed.` : `${ref} is paused.`);
  };
  const tearDown = async () => {
    const { uninstall } = await client.component.teardown(orgName, repoName, ref);
    const told = uninstall.status === 'failed' ? ' Its publisher could not be notified.' : '';
    await after(`${ref} is uninstalled. Everything that it wrote remains.${told}`);
  };
  const { data: asked, isPending } = useQuery(resolution(sight, name));
  const left = asked?.hasSetup === false ? leftToSetup(asked.manifest, sight) : [];
  const isInVain = isPending || lacksSetupAlone(report.findings, left);
  const isOutdated = report.findings.some(({ code }) => code === 'newer-version');
  return (
    <div className="actions">
      {isOutdated && <Update sight={sight} name={name} onUpdate={() => onBegin('update')} />}
      {!isPaused && !isInVain && (
        <SecondaryButton disabled={isBusy} onClick={() => onBegin('install')}>
          Reinstall
        </SecondaryButton>
      )}
      <Confirm
        action={isPaused ? 'Resume' : 'Pause'}
        title={isPaused ? `Resume ${ref}?` : `Pause ${ref}?`}
        onConfirm={turn}
      >
        <p>
          {isPaused
            ? 'Its tokens work again, and it gets deliveries for new events.'
            : 'Until you resume it, its tokens are rejected, and it gets no deliveries or commands.'}
        </p>
      </Confirm>
      <Confirm action="Uninstall" title={`Uninstall ${ref}?`} onConfirm={tearDown}>
        <p>
          Its tokens are revoked immediately, and its deliveries stop. Records and shapes that it wrote remain, and the
          shapes become yours. You can install it again later.
        </p>
      </Confirm>
    </div>
  );
}

function Update({ sight, name, onUpdate }: Pick<ComponentActionsProps, 'sight' | 'name'> & { onUpdate: () => void }) {
  const asked = useQuery(resolution(sight, name));
  return (
    <Confirm
      action="Update"
      title={`Update ${refOf(name)} to the latest version?`}
      onConfirm={() => {
        onUpdate();
        return Promise.resolve();
      }}
    >
      <Loaded query={asked} what="requested permissions" isPart>
        {({ manifest, version }) => (
          <>
            <p>Version {version} gets these permissions and contents. Nothing is deleted.</p>
            <ManifestWords manifest={manifest} place={sight} />
          </>
        )}
      </Loaded>
    </Confirm>
  );
}
