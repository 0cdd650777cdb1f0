import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { Tabs } from 'radix-ui';
import { useState } from 'react';
import { callsOf, type SameCalls, type Shown } from '../data/calls.ts';
import { whoami } from '../data/queries.ts';

const WAYS: readonly { readonly way: keyof SameCalls; readonly label: string }[] = [
  { way: 'http', label: 'REST' },
  { way: 'sdk', label: 'SDK' },
  { way: 'cli', label: 'CLI' },
];

/** For developers: how to get what the page shows. Closed until it is asked for. */
export function Calls({ shown }: { shown: readonly Shown[] }) {
  const { orgName, repoName } = useParams({ strict: false });
  const { data: person } = useQuery(whoami);
  const address = {
    url: window.location.origin,
    orgName,
    repoName,
    isSignedIn: person !== undefined && person.kind !== 'anonymous',
  };
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
            {shown.map((one) => (
              <Copyable key={`${one.what} ${one.procedure}`} what={one.what} text={callsOf(one, address)[way]} />
            ))}
          </Tabs.Content>
        ))}
      </Tabs.Root>
    </details>
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
