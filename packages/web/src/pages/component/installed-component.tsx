import { ADVICE, FINDINGS } from '@cairn/protocol/component-state';
import type { ComponentReport, Finding } from '@cairn/sdk';
import { useMay } from '../../app/may.ts';
import type { Sight } from '../../app/sight.ts';
import { type ComponentName, STATE_WORDS } from '../../data/component.ts';
import { Moment } from '../../parts/moment.tsx';
import { NotPermitted } from '../../parts/permitted.tsx';
import { Text } from '../../parts/text.tsx';
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
        <span className="label">{report.state}</span> {STATE_WORDS[report.state]}
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
              <Found finding={finding} />
            </li>
          ))}
        </ul>
      )}
      {mayManage === true && (
        <ComponentActions sight={sight} name={name} report={report} isBusy={isBusy} onBegin={onBegin} />
      )}
      {mayManage === false && <NotPermitted place={sight} scope="repo:write" />}
    </>
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
    { what: 'It reads', text: granted.reads.join(', ') || 'nothing' },
    { what: 'It writes', text: granted.writes.join(', ') || 'nothing' },
    { what: 'Installed by', text: installedBy },
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
          <Moment at={installedAt} />
        </dd>
      </div>
    </dl>
  );
}

function Found({ finding: { code, subject, message } }: { finding: Finding }) {
  return (
    <>
      <p>
        {FINDINGS[code]} {subject !== undefined && <Text>{subject}</Text>}
      </p>
      <p>
        <Text most={1_000}>{message}</Text>
      </p>
    </>
  );
}
