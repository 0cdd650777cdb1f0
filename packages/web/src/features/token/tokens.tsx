import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Calls } from '../../app/calls.tsx';
import { whoami } from '../../app/queries.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { MorePages } from '../../ui/more-pages.tsx';
import { SignInFirst } from '../../ui/sign-in-first.tsx';
import { useTitle } from '../../ui/title.ts';
import { NewToken } from './new-token.tsx';
import { tokens } from './token.ts';
import { TokenRow } from './token-row.tsx';
import '../../ui/css/organization.css';

/** Tokens for scripts and agents: what there are, and new ones. */
export function Tokens() {
  useTitle('Tokens');
  const { data: person } = useQuery(whoami);
  return (
    <>
      <h1>Tokens</h1>
      <p>
        A token lets a script or an agent act in your name, as far as you allow it, until it ends. For yourself,{' '}
        <code>cairn auth login</code> needs none.
      </p>
      {person?.kind === 'anonymous' && <SignInFirst what="see your tokens" />}
      {person !== undefined && person.kind !== 'anonymous' && (
        <>
          <TokenList />
          <NewToken />
          <Calls shown={[{ what: 'Your tokens', procedure: 'token.list', isEverywhere: true }]} />
        </>
      )}
    </>
  );
}

function TokenList() {
  const list = useInfiniteQuery(tokens);
  return (
    <>
      <Loaded query={list} what="tokens" isPart>
        {({ pages: [first, ...rest] }) =>
          first?.items.length === 0 ? (
            <p className="quiet">You have none yet.</p>
          ) : (
            <ul className="entries" aria-label="Your tokens">
              {[first, ...rest]
                .flatMap((page) => page?.items ?? [])
                .map((token) => (
                  <li key={token.name}>
                    <TokenRow token={token} />
                  </li>
                ))}
            </ul>
          )
        }
      </Loaded>
      <MorePages query={list} what="tokens" />
    </>
  );
}
