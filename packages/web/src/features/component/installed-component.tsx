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
import { Loaded } from '../../ui/page.tsx';
import { Fact, ProblemText, Text } from '../../ui/text.tsx';
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
      <Facts report={report} />
      <h2>What the doctor found</h2>
      {report.findings.length === 0 ? (
        <p>Nothing is missing or wrong.</p>
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
      <h2>What it asks for and brings</h2>
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
    <Loaded
      query={found}
      what="what it brings"
      isPart
      missing={<p>It is no longer in the registry, which would say it.</p>}
    >
      {({ manifest }) => <ManifestWords manifest={manifest} place={sight} />}
    </Loaded>
  );
}

function Facts({
  report: { version, latestVersion, granted, installedBy, installedAt, setup },
}: Pick<InstalledComponentProps, 'report'>) {
  const facts = [
    {
      what: 'Version',
      text:
        latestVersion === undefined || latestVersion === version
          ? version
          : `${version}; ${latestVersion} is published`,
    },
    { what: 'May read', text: granted.reads.join(', ') || 'nothing' },
    { what: 'May write', text: granted.writes.join(', ') || 'nothing' },
    ...(setup === undefined
      ? []
      : [{ what: 'Its setup', text: [setup.status, setup.message].filter(Boolean).join(': ') }]),
  ];
  return (
    <dl className="facts">
      {facts.map(({ what, text }) => (
        <Fact key={what} name={what}>
          <Text most={1_000}>{text}</Text>
        </Fact>
      ))}
      <Fact name="Installed">
        <Moment at={installedAt} /> by <Author createdBy={installedBy} />
      </Fact>
    </dl>
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
    <Link {...toCredentialSet(sight, credentialSet)}>its credential set {credentialSet}</Link>. Where its own setup sets
    that, install it again.
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
  const { queries, say } = useFollowUp();
  const after = async (text: string) => {
    await queries.invalidateQueries({ queryKey: repositoryKey(sight) });
    say({ text });
  };
  const isPaused = report.state === 'paused';
  const turn = async () => {
    await client.component[isPaused ? 'resume' : 'pause'](orgName, repoName, ref);
    await after(isPaused ? `${ref} goes on.` : `${ref} rests.`);
  };
  const tearDown = async () => {
    const { uninstall } = await client.component.teardown(orgName, repoName, ref);
    const told = uninstall.status === 'failed' ? ' Its maker could not be told of it.' : '';
    await after(`${ref} is torn down. What was written stays.${told}`);
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
          Install it again
        </SecondaryButton>
      )}
      <Confirm
        action={isPaused ? 'Resume' : 'Pause'}
        title={isPaused ? `Go on with ${ref}?` : `Pause ${ref}?`}
        onConfirm={turn}
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

function Update({ sight, name, onUpdate }: Pick<ComponentActionsProps, 'sight' | 'name'> & { onUpdate: () => void }) {
  const asked = useQuery(resolution(sight, name));
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
            <ManifestWords manifest={manifest} place={sight} />
          </>
        )}
      </Loaded>
    </Confirm>
  );
}
