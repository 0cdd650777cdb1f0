import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toComponentIn } from '../../app/links.ts';
import { useMay } from '../../app/may.ts';
import { NotPermitted } from '../../app/permitted.tsx';
import { homeName, type Sight, useSight } from '../../app/sight.ts';
import { List } from '../../ui/list.tsx';
import { Page, PagedList, PresentOnly } from '../../ui/page.tsx';
import { Calls } from '../commit/calls.tsx';
import { StateMark } from '../operate/state-mark.tsx';
import { type ComponentName, installs, namedBy, refOf, STATE_WORDS } from './component.ts';
import { RegistryList } from './registry-list.tsx';

export function InstalledComponents() {
  const sight = useSight();
  const mayInstall = useMay(sight, 'repo:write');
  return (
    <Page title="Components" within={homeName(sight)}>
      <p>Components are programs that react to commits here. They read and write only what you permit.</p>
      <PresentOnly>
        <Installed sight={sight} />
        <h2>Install a component</h2>
        {mayInstall === false && <NotPermitted place={sight} scope="repo:write" />}
        {mayInstall === true && <RegistryList linkTo={(name) => <ComponentLink sight={sight} name={name} />} />}
        <Calls shown={[{ what: 'The installed components', procedure: 'component.list' }]} />
      </PresentOnly>
    </Page>
  );
}

const ComponentLink = ({ sight, name }: { sight: Sight; name: ComponentName }) => (
  <Link {...toComponentIn(sight, name)}>{refOf(name)}</Link>
);

function Installed({ sight }: { sight: Sight }) {
  const list = useInfiniteQuery(installs(sight));
  return (
    <PagedList query={list} what="components" more="components">
      {(all) => {
        const items = all.filter(({ state }) => state !== 'uninstalled');
        if (items.length === 0) return <p className="quiet">No components are installed.</p>;
        return (
          <List className="entries" label="Installed" items={items} keyOf={({ component }) => component}>
            {({ component, state, version }) => (
              <div>
                <p>
                  <ComponentLink sight={sight} name={namedBy(component)} /> <span className="label">{version}</span>{' '}
                  <StateMark state={state} />
                </p>
                <p className="quiet">{STATE_WORDS[state]}</p>
              </div>
            )}
          </List>
        );
      }}
    </PagedList>
  );
}
