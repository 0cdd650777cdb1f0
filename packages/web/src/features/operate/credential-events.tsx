import type { CredentialEvent } from '@cairn/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { Home } from '../../app/home.ts';
import { Author } from '../../ui/author.tsx';
import { Details } from '../../ui/details.tsx';
import { Loaded } from '../../ui/loaded.tsx';
import { Moment } from '../../ui/moment.tsx';
import { MorePages } from '../../ui/more-pages.tsx';
import { credentialEvents } from './credential-set.ts';

const WORDS: Readonly<Record<CredentialEvent['action'], string>> = {
  create: 'made',
  setKeys: 'keys set',
  unsetKey: 'key taken out',
  revoke: 'revoked',
  delete: 'deleted',
  bind: 'bound to an origin',
  unbind: 'left waiting for new keys',
  use: 'used',
};

/** What happened to a set, and every use of it. */
export function CredentialEvents({ home, name }: { home: Home; name: string }) {
  const events = useInfiniteQuery(credentialEvents(home, name));
  return (
    <section aria-labelledby="events">
      <h2 id="events">What happened to it</h2>
      <Loaded query={events} what="what happened" isPart>
        {({ pages }) => (
          <ul className="operated" aria-label="What happened to it">
            {pages
              .flatMap(({ items }) => items)
              .map((event, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: what happened has no other name than its place.
                <li key={index}>
                  <p>
                    {WORDS[event.action]} <Moment at={event.at} /> by <Author createdBy={event.actor} />
                  </p>
                  <Details details={event.details} home={home} />
                </li>
              ))}
          </ul>
        )}
      </Loaded>
      <MorePages query={events} what="of what happened" />
    </section>
  );
}
