import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { TextField } from '../../ui/field.tsx';
import { useTitle } from '../../ui/page.tsx';
import { Calls } from '../commit/calls.tsx';
import { RegistryList } from './registry-list.tsx';

export function Registry() {
  useTitle('Registry');
  const { q = '' } = useSearch({ from: '/-/registry' });
  const navigate = useNavigate({ from: '/-/registry' });
  return (
    <>
      <h1>Registry</h1>
      <p>
        A component is a program that somebody runs, and that others install in their repositories. It is told of
        commits, and reads and writes what it was allowed to.
      </p>
      <div className="narrow">
        <TextField
          label="Search"
          type="search"
          value={q}
          onChange={(words) => void navigate({ search: words === '' ? {} : { q: words }, replace: true })}
          hint="In names and descriptions of all that you can see."
        />
      </div>
      <RegistryList
        words={q}
        linkTo={({ orgName, name }) => (
          <Link to="/-/registry/$ownerName/$componentName" params={{ ownerName: orgName, componentName: name }}>
            {orgName}/{name}
          </Link>
        )}
      />
      <Calls
        shown={{
          what: 'The registry',
          procedure: 'component.registry',
          isEverywhere: true,
          ...(q.trim() !== '' && { options: { q: q.trim() } }),
        }}
      />
    </>
  );
}
