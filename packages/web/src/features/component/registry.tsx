import { useNavigate, useSearch } from '@tanstack/react-router';
import { TextField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { Calls } from '../commit/calls.tsx';
import { RegistryList } from './registry-list.tsx';

export function Registry() {
  const { q = '' } = useSearch({ from: '/-/registry' });
  const navigate = useNavigate({ from: '/-/registry' });
  return (
    <Page title="Registry">
      <p>
        A component is a hosted program that you can install in your repositories. It reacts to commits, and reads and
        writes only what you permit.
      </p>
      <div className="narrow">
        <TextField
          label="Search"
          type="search"
          value={q}
          onChange={(words) => void navigate({ search: words === '' ? {} : { q: words }, replace: true })}
          hint="Searches names and descriptions."
        />
      </div>
      <RegistryList words={q} />
      <Calls
        shown={{
          what: 'The registry',
          procedure: 'component.registry',
          isEverywhere: true,
          ...(q.trim() !== '' && { options: { q: q.trim() } }),
        }}
      />
    </Page>
  );
}
