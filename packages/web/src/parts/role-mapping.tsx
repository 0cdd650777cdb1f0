import { ORGANIZATION_ROLE_NAMES, roleInRepositories } from '../data/role.ts';

/** Organizations and repositories have roles of different names: which is as good as which. */
export function RoleMapping() {
  return (
    <table className="role-mapping">
      <thead>
        <tr>
          <th scope="col">Role in the organization</th>
          <th scope="col">As good as, in each repository</th>
        </tr>
      </thead>
      <tbody>
        {ORGANIZATION_ROLE_NAMES.map((role) => (
          <tr key={role}>
            <td>{role}</td>
            <td>{roleInRepositories(role)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
