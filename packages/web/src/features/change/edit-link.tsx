// Where a change that is only drafted is edited: the form that it was made by.
import { Link } from '@tanstack/react-router';
import type { Sight } from '../../app/sight.ts';
import { textNamed } from '../repository/repository-text.ts';
import { type Added, type Change, titleOf } from './change.ts';

export function EditLink({ sight: { orgName, repoName }, change }: { sight: Sight; change: Change }) {
  const { name } = change;
  const label = { 'aria-label': `Edit: ${titleOf(change)}` };
  const textName = textNamed(name);
  if (textName !== undefined && 'data' in change && (change.step === 'add' || change.base.isActive)) {
    return (
      <Link to="/$orgName/$repoName/edit-text/$textName" params={{ orgName, repoName, textName }} {...label}>
        Edit
      </Link>
    );
  }
  if (change.step === 'add') return <EditAddedLink {...{ orgName, repoName, change, label }} />;
  if (change.step === 'revise' && change.base.kind === 'shape') {
    return (
      <Link to="/$orgName/$repoName/edit-shape/$shapeName" params={{ orgName, repoName, shapeName: name }} {...label}>
        Edit
      </Link>
    );
  }
  return (
    <Link
      to="/$orgName/$repoName/edit/$"
      params={{ orgName, repoName, _splat: name }}
      search={change.step === 'revise' ? {} : { step: change.step }}
      {...label}
    >
      Edit
    </Link>
  );
}

interface EditAddedLinkProps extends Pick<Sight, 'orgName' | 'repoName'> {
  readonly change: Added;
  readonly label: { readonly 'aria-label': string };
}

function EditAddedLink({ orgName, repoName, change: { kind, name }, label }: EditAddedLinkProps) {
  if (kind === 'shape') {
    return (
      <Link to="/$orgName/$repoName/new-shape" params={{ orgName, repoName }} search={{ name }} {...label}>
        Edit
      </Link>
    );
  }
  const [shape = ''] = name.split('/');
  return (
    <Link to="/$orgName/$repoName/new" params={{ orgName, repoName }} search={{ kind, name, shape }} {...label}>
      Edit
    </Link>
  );
}
