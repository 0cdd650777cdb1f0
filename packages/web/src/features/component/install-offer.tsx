import { useQuery } from '@tanstack/react-query';
import type { Sight } from '../../app/sight.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Permitted } from '../../ui/permitted.tsx';
import { Text } from '../../ui/text.tsx';
import { rightText } from '../organization/role.ts';
import { type ComponentName, resolution } from './component.ts';
import { ManifestWords } from './manifest-words.tsx';
import { NoSetup } from './no-setup.tsx';

interface InstallOfferProps {
  readonly sight: Sight;
  readonly name: ComponentName;
  readonly isBusy: boolean;
  readonly onInstall: () => void;
}

/** What it would be given and would do, before it is installed. */
export function InstallOffer({ sight, name, isBusy, onInstall }: InstallOfferProps) {
  return (
    <>
      <p>It is not installed here.</p>
      <Permitted place={sight} scope="repo:write">
        <Offer sight={sight} name={name} isBusy={isBusy} onInstall={onInstall} />
      </Permitted>
    </>
  );
}

function Offer({ sight, name, isBusy, onInstall }: InstallOfferProps) {
  const asked = useQuery(resolution(sight, name));
  const place = { orgName: sight.orgName, repoName: sight.repoName };
  return (
    <Loaded query={asked} what="what it asks for" isPart>
      {({ manifest, version, needs, hasSetup, eligible, reasons }) => (
        <>
          <h2>What version {version} is given here</h2>
          <ManifestWords manifest={manifest} place={place} />
          {hasSetup ? (
            <p>Its maker is called when it is installed, and is given a token that may do this and no more.</p>
          ) : (
            <NoSetup manifest={manifest} place={place} />
          )}
          {needs.length > 0 && (
            <p className="quiet">To install it takes the right to {needs.map(rightText).join(', and to ')}.</p>
          )}
          {eligible ? (
            <button type="button" disabled={isBusy} onClick={onInstall}>
              {isBusy ? 'Installing…' : 'Give it this, and install it'}
            </button>
          ) : (
            <section className="problem">
              <h2>It cannot be installed here</h2>
              <ul>
                {reasons.map((reason) => (
                  <li key={reason}>
                    <Text most={1_000}>{reason}</Text>
                  </li>
                ))}
              </ul>
            </section>
          )}
        </>
      )}
    </Loaded>
  );
}
