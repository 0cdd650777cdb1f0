import { ORGANIZATION_ROLE_NAMES, roleInRepositories } from './role.ts';

/** Organizations and repositories have roles of different names: which gives the same as which. */
export function RoleMapping() {
  return (
    <table className="role-mapping">
      <thead>
        <tr>
          <th scope="col">Role in the organization</th>
          <th scope="col">What it may do in each repository</th>
        </tr>
      </thead>
      <tbody>
        {ORGANIZATION_ROLE_NAMES.map((role) => (
          <tr key={role}>
            <td>{role}</td>
            <td>The same as who has the role {roleInRepositories(role)} there</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
