import { SCOPES, type Scope } from '@cairn/protocol/scopes';
import { Fact, Table } from '../../ui/list.tsx';
import { ORGANIZATION_ROLE_NAMES, roleInRepositories } from './role.ts';

interface RoleMeaningProps<Role extends string> {
  readonly words: Readonly<Record<Role, string>>;
  readonly scopes: Readonly<Record<Role, readonly Scope[]>>;
}

export function RoleMeaning<Role extends string>({ words, scopes }: RoleMeaningProps<Role>) {
  const roles = Object.keys(words) as Role[];
  return (
    <details>
      <summary>Permissions of each role</summary>
      <dl className="role-words">
        {roles.map((role) => (
          <Fact key={role} name={role}>
            {words[role]}
            <ul>
              {scopes[role].map((scope) => (
                <li key={scope}>
                  <code>{scope}</code>: {SCOPES[scope]}
                </li>
              ))}
            </ul>
          </Fact>
        ))}
      </dl>
      <Table className="role-mapping" heads={['Role in the organization', 'Role in its repositories']}>
        {ORGANIZATION_ROLE_NAMES.map((role) => (
          <tr key={role}>
            <td>{role}</td>
            <td>{roleInRepositories(role)}</td>
          </tr>
        ))}
      </Table>
    </details>
  );
}
