import { ADVICE, FINDINGS } from '@cairn/protocol/vocabulary';
import type { ComponentReport, Finding } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useMay } from '../../app/may.ts';
import type { Sight } from '../../app/sight.ts';
import { type ComponentName, component, STATE_WORDS } from '../../data/component.ts';
import { Author } from '../../parts/author.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { ManifestWords } from '../../parts/manifest-words.tsx';
import { Moment } from '../../parts/moment.tsx';
import { NotPermitted } from '../../parts/permitted.tsx';
import { Text } from '../../parts/text.tsx';
import { StateMark } from '../operate/state-mark.tsx';
import { ComponentActions } from './component-actions.tsx';
import '../../look/page.css';

interface InstalledComponentProps {
  readonly sight: Sight;
  readonly name: ComponentName;
  readonly report: ComponentReport;
  readonly isBusy: boolean;
  readonly onBegin: (verb: 'install' | 'update') => void;
}

/** How it stands, what is to be done about it, and what can be done with it. */
export function InstalledComponent({ sight, name, report, isBusy, onBegin }: InstalledComponentProps) {
  const mayManage = useMay(sight, 'repo:write');
  return (
    <>
      <p>
        <StateMark state={report.state} /> {STATE_WORDS[report.state]}
      </p>
      {report.message !== undefined && (
        <p className="problem">
          <Text most={1_000}>{report.message}</Text>
        </p>
      )}
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
              <Found sight={sight} finding={finding} />
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

/** The same as before it was installed, of the version that is. */
function Brought({ sight, name, version }: Pick<InstalledComponentProps, 'sight' | 'name'> & { version: string }) {
  const { orgName, repoName } = sight;
  const found = useQuery(component(name, version));
  return (
    <Loaded
      query={found}
      what="what it brings"
      isPart
      missing={<p>It is no longer in the registry, which would say it.</p>}
    >
      {({ manifest }) => <ManifestWords manifest={manifest} place={{ orgName, repoName }} />}
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
        <div key={what}>
          <dt>{what}</dt>
          <dd>
            <Text most={1_000}>{text}</Text>
          </dd>
        </div>
      ))}
      <div>
        <dt>Installed</dt>
        <dd>
          <Moment at={installedAt} /> by <Author createdBy={installedBy} />
        </dd>
      </div>
    </dl>
  );
}

function Found({ sight, finding }: { sight: Sight; finding: Finding }) {
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

/** The message of the server is for the command line; here there is a page for it. */
function UnsetKeys({ sight, credentialSet, keys }: { sight: Sight; credentialSet: string; keys: readonly string[] }) {
  const { orgName, repoName } = sight;
  return (
    <p>
      Set <Text>{keys.join(', ')}</Text> in{' '}
      <Link
        to="/$orgName/$repoName/operate/credentials/$name"
        params={{ orgName, repoName, name: credentialSet }}
        search={{}}
      >
        its credential set {credentialSet}
      </Link>
      . Where its own setup sets that, install it again.
    </p>
  );
}
