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
        <Link {...toComponent(name)}>View in the registry</Link>
      </p>
      <PresentOnly>
        {latest !== undefined && <Progress work={latest} />}
        <Loaded query={standing} what="status" isPart>
          {(found) =>
            found === null ? (
              <>
                <p>This component is not installed here.</p>
                <Permitted place={sight} scope="repo:write">
                  <InstallOffer sight={sight} name={name} isBusy={isBusy} onInstall={() => begin('install')} />
                </Permitted>
              </>
            ) : (
              <InstalledComponent sight={sight} name={name} report={found} isBusy={isBusy} onBegin={begin} />
            )
          }
        </Loaded>
        <Calls
          shown={[{ what: 'The status', procedure: 'component.doctor', given: [refOf(name)], names: ['component'] }]}
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
          You can visit other pages meanwhile. The task continues and is listed under <Link to="/-/work">Tasks</Link>.
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
      {now.state === 'done' ? now.outcome.told : 'You stopped waiting. The current status is shown here.'}
    </p>
  );
}

const VERBS = {
  install: { what: 'Install', told: 'Installing and running setup…' },
  update: { what: 'Update', told: 'Updating to the latest version and running setup…' },
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
  return `${component} ${version} is ${state}: ${findings.length === 1 ? '1 finding needs' : `${findings.length} findings need`} attention.`;
}

interface InstallOfferProps {
  readonly sight: Sight;
  readonly name: ComponentName;
  readonly isBusy: boolean;
  readonly onInstall: () => void;
}

function InstallOffer({ sight, name, isBusy, onInstall }: InstallOfferProps) {
  const asked = useQuery(resolution(sight, name));
  return (
    <Loaded query={asked} what="requested permissions" isPart>
      {({ manifest, version, needs, hasSetup, eligible, reasons }) => (
        <>
          <h2>Permissions and contents of version {version}</h2>
          <ManifestWords manifest={manifest} place={sight} />
          {hasSetup ? (
            <p>
              Installing it calls the setup endpoint of its publisher, with a token that is limited to these
              permissions.
            </p>
          ) : (
            <NoSetup manifest={manifest} place={sight} />
          )}
          {needs.length > 0 && (
            <p className="quiet">Installing it needs permission to {needs.map(rightText).join(' and to ')}.</p>
          )}
          {eligible ? (
            <Button disabled={isBusy} onClick={onInstall}>
              {isBusy ? 'Installing…' : 'Grant and install'}
            </Button>
          ) : (
            <section className="problem">
              <h2>You cannot install it here</h2>
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
