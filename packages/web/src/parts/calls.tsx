import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Tabs } from 'radix-ui';
import { useState } from 'react';
import { callsOf, type SameCalls, type Shown } from '../data/calls.ts';
import { repository, whoami } from '../data/queries.ts';
import { CommandNote } from './command-note.tsx';

type Way = keyof SameCalls;

const WAYS: readonly { readonly way: Way; readonly label: string }[] = [
  { way: 'http', label: 'REST' },
  { way: 'sdk', label: 'SDK' },
  { way: 'cli', label: 'CLI' },
];

/** For developers: how to get what the page shows. Closed until it is asked for. */
export function Calls({ shown }: { shown: readonly Shown[] }) {
  const { orgName, repoName } = useParams({ strict: false });
  const { data: person } = useQuery(whoami);
  const isSignedIn = person !== undefined && person.kind !== 'anonymous';
  const address = { url: window.location.origin, orgName, repoName, isSignedIn };
  return (
    <details className="calls">
      <summary>Get this by REST, SDK or CLI</summary>
      <Tabs.Root defaultValue="http">
        <Tabs.List aria-label="Way">
          {WAYS.map(({ way, label }) => (
            <Tabs.Trigger key={way} value={way}>
              {label}
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        {WAYS.map(({ way }) => (
          <Tabs.Content key={way} value={way}>
            <WayNote way={way} />
            {shown.map((one) => (
              <Copyable key={`${one.what} ${one.procedure}`} what={one.what} text={callsOf(one, address)[way]} />
            ))}
            {isSignedIn && <TokenNote way={way} orgName={orgName} repoName={repoName} />}
          </Tabs.Content>
        ))}
      </Tabs.Root>
    </details>
  );
}

/** Where what is called comes from, and how it is run. */
function WayNote({ way }: { way: Way }) {
  if (way === 'http') return null;
  return (
    <p className="quiet">
      {way === 'cli' ? (
        <CommandNote />
      ) : (
        <>
          In a checkout of Cairn, <code>@cairn/sdk</code> is there: run a file such as this with{' '}
          <code>node run.mjs FILE.ts</code>. Elsewhere,{' '}
          <a href="/docs/sdk#in-a-project-of-your-own">install it in a project of your own</a>.
        </>
      )}
    </p>
  );
}

interface TokenNoteProps {
  readonly way: Way;
  readonly orgName: string | undefined;
  readonly repoName: string | undefined;
}

/** Who is signed in may see more here than a call without a token gets. */
function TokenNote({ way, orgName = '', repoName = '' }: TokenNoteProps) {
  const { data } = useQuery({ ...repository({ orgName, repoName }), enabled: orgName !== '' && repoName !== '' });
  return (
    <p className="quiet">
      {data?.visibility === 'private' && 'This repository is private: without a token it is not found. '}
      {data?.visibility === 'public' && 'This repository is public: what everyone sees of it needs no token. '}
      <code>CAIRN_TOKEN</code> is a token that you make under <Link to="/-/tokens">Tokens</Link>; one that may read is
      enough.
      {way === 'cli' && (
        <>
          {' '}
          Or sign the command in: <code>cairn auth login --url {window.location.origin}</code>
        </>
      )}
    </p>
  );
}

function Copyable({ what, text }: { what: string; text: string }) {
  const [said, setSaid] = useState('Copy');
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('The browser does not allow it: select the text'),
    );
  return (
    <figure>
      <figcaption>
        {what}
        <button type="button" className="small" aria-label={`${said}: ${what}`} onClick={() => void copy()}>
          {said}
        </button>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
