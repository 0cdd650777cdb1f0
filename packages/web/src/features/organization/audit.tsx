import { AUDIT_ACTIONS, type AuditAction } from '@cairn/protocol/audit-action';
import type { AuditItem } from '@cairn/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Permitted } from '../../app/permitted.tsx';
import { paged } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { Author, Moment } from '../../ui/byline.tsx';
import { ChoiceField } from '../../ui/field.tsx';
import { Page, PagedList } from '../../ui/page.tsx';
import { Calls } from '../commit/calls.tsx';
import { Details } from '../operate/details.tsx';

export function Audit() {
  const { orgName } = useParams({ from: '/$orgName' });
  const { action: said } = useSearch({ from: '/$orgName/-/audit' });
  const action = ACTIONS.find((one) => one === said);
  const options = action === undefined ? {} : { action };
  return (
    <Page title="Audit" within={orgName}>
      <p>Changes to access in {orgName}, newest first.</p>
      <Permitted place={{ orgName }} scope="org:configure">
        <Filter action={action} />
        <Entries orgName={orgName} action={action} />
        <Calls
          shown={{
            what: 'The audit log',
            procedure: 'audit.list',
            options,
            words: ['org', 'audit', orgName, ...(action === undefined ? [] : ['--action', action])],
          }}
        />
      </Permitted>
    </Page>
  );
}

const ACTIONS = (Object.keys(AUDIT_ACTIONS) as AuditAction[]).toSorted((one, other) => (one < other ? -1 : 1));
const OPTIONS = [
  { value: '', label: 'All' },
  ...ACTIONS.map((value) => ({ value, label: AUDIT_ACTIONS[value].slice(0, -1) })),
];

function Filter({ action }: { action: AuditAction | undefined }) {
  const navigate = useNavigate({ from: '/$orgName/-/audit' });
  const choose = (chosen: string) => void navigate({ search: chosen === '' ? {} : { action: chosen }, replace: true });
  return (
    <div className="narrow">
      <ChoiceField label="Action" value={action ?? ''} options={OPTIONS} onChange={choose} />
    </div>
  );
}

function Entries({ orgName, action }: { orgName: string; action: AuditAction | undefined }) {
  const log = useInfiniteQuery(auditLog(orgName, action));
  const none = <p className="quiet">No entries.</p>;
  return (
    <PagedList query={log} what="the audit log" more="entries" none={none}>
      {(items) => (
        <ol className="entries" aria-label="Entries">
          {items.map((item, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: entries have no name, and never change.
            <li key={at}>
              <Entry item={item} />
            </li>
          ))}
        </ol>
      )}
    </PagedList>
  );
}

const Entry = ({ item: { at, action, actor, target, details, address } }: { item: AuditItem }) => (
  <div>
    <p>
      {AUDIT_ACTIONS[action]} <span className="label">{action}</span>
    </p>
    <p>
      By <Author createdBy={actor} />
      {target !== actor && (
        <>
          , about <Author createdBy={target} />
        </>
      )}
    </p>
    <Details details={details} />
    <p className="quiet">
      <Moment at={at} />
      {address !== undefined && `, from ${address}`}
    </p>
  </div>
);

const auditLog = (orgName: string, action?: AuditAction) =>
  paged(['organization', orgName, 'audit', action ?? ''], (asked) =>
    client.audit.list(orgName, { ...asked, ...(action !== undefined && { action }) }),
  );
