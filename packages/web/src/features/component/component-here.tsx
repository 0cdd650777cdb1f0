import type { ComponentReport } from '@cairn/sdk';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { toComponent } from '../../app/links.ts';
import { Permitted } from '../../app/permitted.tsx';
import { repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { type Sight, useSight } from '../../app/sight.ts';
import { beginWork, stopWork, useWorkOf, type Work } from '../../app/work.ts';
import { Button, SmallButton } from '../../ui/button.tsx';
import { Failure, Loaded, PresentOnly, useTitle } from '../../ui/page.tsx';
import { Text } from '../../ui/text.tsx';
import { Calls } from '../commit/calls.tsx';
import { rightText } from '../organization/role.ts';
import { type ComponentName, refOf, report, resolution } from './component.ts';
import { InstalledComponent } from './installed-component.tsx';
import { ManifestWords, NoSetup } from './manifest-words.tsx';

export function ComponentHere() {
  const sight = useSight();
  const { ownerName, componentName } = useParams({
    from: '/$orgName/$repoName/operate/components/$ownerName/$componentName',
  });
  const name = { ownerName, componentName };
  useTitle(refOf(name), `${sight.orgName}/${sight.repoName}`);
  const standing = useQuery(report(sight, name));
  const { begin, latest } = useInstall(sight, name);
  const isBusy = latest?.now.state === 'running';
  return (
    <>
      <h1>{refOf(name)}</h1>
      <p>
        <Link {...toComponent(name)}>In the registry</Link>
      </p>
      <PresentOnly>
        {latest !== undefined && <Progress work={latest} />}
        <Loaded query={standing} what="how it stands" isPart>
          {(found) =>
            found === null ? (
              <InstallOffer sight={sight} name={name} isBusy={isBusy} onInstall={() => begin('install')} />
            ) : (
              <InstalledComponent sight={sight} name={name} report={found} isBusy={isBusy} onBegin={begin} />
            )
          }
        </Loaded>
        <Calls
          shown={[{ what: 'How it stands', procedure: 'component.doctor', given: [refOf(name)], names: ['component'] }]}
        />
      </PresentOnly>
    </>
  );
}

function Progress({ work: { id, what, told, now } }: { work: Work }) {
  if (now.state === 'running') {
    return (
      <section aria-label="Progress">
        <p role="status">{told}</p>
        <progress aria-label={what} />
        <p className="quiet">
          You can look at other pages meanwhile: it goes on, and stands at <Link to="/-/work">Work</Link>.
        </p>
        <SmallButton onClick={() => stopWork(id)}>Stop waiting</SmallButton>
      </section>
    );
  }
  if (now.state === 'failed') {
    return <Failure error={now.error} />;
  }
  return (
    <p role="status">
      {now.state === 'done' ? now.outcome.told : 'It was not waited for. How it stands is said here.'}
    </p>
  );
}

const VERBS = {
  install: { what: 'Install', told: 'Writing what it brings, and calling its setup…' },
  update: { what: 'Update', told: 'Bringing it to the latest version, and calling its setup…' },
} as const;

/** Runs as a background task, since the component's maker may answer slowly. */
function useInstall(sight: Sight, name: ComponentName) {
  const { orgName, repoName } = sight;
  const queries = useQueryClient();
  const href = `/${orgName}/${repoName}/operate/components/${refOf(name)}`;
  const latest = useWorkOf(href);
  const begin = (verb: keyof typeof VERBS) =>
    beginWork({
      what: `${VERBS[verb].what} of ${refOf(name)} in ${orgName}/${repoName}`,
      href,
      run: async ({ signal, tell }) => {
        tell(VERBS[verb].told);
        try {
          return { told: outcomeOf(await client.component[verb](orgName, repoName, refOf(name), { signal })) };
        } finally {
          await queries.invalidateQueries({ queryKey: repositoryKey(sight) });
        }
      },
    });
  return { begin, latest };
}

function outcomeOf({ component, version, state, findings }: ComponentReport): string {
  if (findings.length === 0) return `${component} ${version} is ${state}.`;
  return `${component} ${version} is ${state}: ${findings.length === 1 ? '1 thing is' : `${findings.length} things are`} to be looked at.`;
}

interface InstallOfferProps {
  readonly sight: Sight;
  readonly name: ComponentName;
  readonly isBusy: boolean;
  readonly onInstall: () => void;
}

const InstallOffer = (props: InstallOfferProps) => (
  <>
    <p>It is not installed here.</p>
    <Permitted place={props.sight} scope="repo:write">
      <Offer {...props} />
    </Permitted>
  </>
);

function Offer({ sight, name, isBusy, onInstall }: InstallOfferProps) {
  const asked = useQuery(resolution(sight, name));
  return (
    <Loaded query={asked} what="what it asks for" isPart>
      {({ manifest, version, needs, hasSetup, eligible, reasons }) => (
        <>
          <h2>What version {version} is given here</h2>
          <ManifestWords manifest={manifest} place={sight} />
          {hasSetup ? (
            <p>Its maker is called when it is installed, and is given a token that may do this and no more.</p>
          ) : (
            <NoSetup manifest={manifest} place={sight} />
          )}
          {needs.length > 0 && (
            <p className="quiet">To install it takes the right to {needs.map(rightText).join(', and to ')}.</p>
          )}
          {eligible ? (
            <Button disabled={isBusy} onClick={onInstall}>
              {isBusy ? 'Installing…' : 'Give it this, and install it'}
            </Button>
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
