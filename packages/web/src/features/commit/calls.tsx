import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Tabs } from 'radix-ui';
import { type Address, callsOf, type ReadCall, type SameCalls } from '../../app/calls.ts';
import { repository, whoami } from '../../app/queries.ts';
import { Disclosure } from '../../ui/list.tsx';
import { Copyable } from '../../ui/once.tsx';
import { CommandNote } from '../../ui/text.tsx';
import { commitCallsOf, type DraftedCommit } from './commit.ts';

type Way = keyof SameCalls;

const WAYS: readonly { readonly way: Way; readonly label: string }[] = [
  { way: 'http', label: 'REST' },
  { way: 'sdk', label: 'SDK' },
  { way: 'cli', label: 'CLI' },
];

export function Calls({ shown }: { shown: ReadCall | readonly ReadCall[] }) {
  const told = [shown].flat().map((one) => ({ what: one.what, callsAt: (address: Address) => callsOf(one, address) }));
  return <Panel does="Get" told={told} />;
}

export function CommitCalls({ written }: { written: DraftedCommit }) {
  const callsAt = (address: Address) => commitCallsOf(written, address);
  return <Panel does="Write" told={[{ what: 'Commit of these changes', callsAt }]} />;
}

interface PanelProps {
  readonly does: 'Get' | 'Write';
  readonly told: readonly { readonly what: string; readonly callsAt: (address: Address) => SameCalls }[];
}

/** Large drafts take time to format, so the calls are built when opened. */
const Panel = (props: PanelProps) => (
  <Disclosure className="calls" summary={`${props.does} this by REST, SDK or CLI`}>
    {() => <Ways {...props} />}
  </Disclosure>
);

function Ways({ does, told }: PanelProps) {
  const { orgName, repoName } = useParams({ strict: false });
  const { data: person } = useQuery(whoami);
  const isSignedIn = person !== undefined && person.kind !== 'anonymous';
  const address = { url: window.location.origin, orgName, repoName, isSignedIn };
  const ready = told.map(({ what, callsAt }) => ({ what, calls: callsAt(address) }));
  return (
    <Tabs.Root defaultValue="http">
      <Tabs.List aria-label="Interface">
        {WAYS.map(({ way, label }) => (
          <Tabs.Trigger key={way} value={way}>
            {label}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {WAYS.map(({ way }) => (
        <Tabs.Content key={way} value={way}>
          <WayNote way={way} />
          {ready.map(({ what, calls }) => (
            <Copyable key={what} what={what} text={calls[way]} />
          ))}
          {does === 'Write' && (
            <p className="quiet">
              This writes immediately and leaves your draft unchanged. Discard the draft afterwards.
            </p>
          )}
          {isSignedIn && <TokenNote does={does} way={way} orgName={orgName} repoName={repoName} />}
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
}

function WayNote({ way }: { way: Way }) {
  if (way === 'http') return null;
  return (
    <p className="quiet">
      {way === 'cli' ? (
        <CommandNote />
      ) : (
        <>
          A checkout of Cairn includes <code>@cairn/sdk</code>. Run a file such as this one with{' '}
          <code>node run.mjs FILE.ts</code>. Elsewhere,{' '}
          <a href="/docs/sdk#in-a-project-of-your-own">install it in your own project</a>.
        </>
      )}
    </p>
  );
}

interface TokenNoteProps extends Pick<PanelProps, 'does'> {
  readonly way: Way;
  readonly orgName: string | undefined;
  readonly repoName: string | undefined;
}

function TokenNote({ does, way, orgName = '', repoName = '' }: TokenNoteProps) {
  const { data } = useQuery({ ...repository({ orgName, repoName }), enabled: orgName !== '' && repoName !== '' });
  return (
    <p className="quiet">
      {does === 'Get' &&
        data?.visibility === 'private' &&
        'This repository is private, so requests without a token get “not found”. '}
      {does === 'Get' && data?.visibility === 'public' && 'This repository is public, so public data needs no token. '}
      <code>CAIRN_TOKEN</code> is a token that you create under <Link to="/-/tokens">Tokens</Link>;{' '}
      {does === 'Get' ? (
        'read access is enough.'
      ) : (
        <>
          it needs <code>repo:write</code> here.
        </>
      )}
      {way === 'cli' && (
        <>
          {' '}
          Or sign in the CLI: <code>cairn auth login --url {window.location.origin}</code>
        </>
      )}
    </p>
  );
}
