import { SCOPES, type Scope } from '@cairn/protocol/scopes';
import { RoleMapping } from './role-mapping.tsx';

interface RoleMeaningProps<Role extends string> {
  readonly words: Readonly<Record<Role, string>>;
  readonly scopes: Readonly<Record<Role, readonly Scope[]>>;
}

/** What each role may do: in a sentence, and exactly. */
export function RoleMeaning<Role extends string>({ words, scopes }: RoleMeaningProps<Role>) {
  const roles = Object.keys(words) as Role[];
  return (
    <details>
      <summary>What each role may do</summary>
      <dl className="role-words">
        {roles.map((role) => (
          <div key={role}>
            <dt>{role}</dt>
            <dd>
              {words[role]}
              <ul>
                {scopes[role].map((scope) => (
                  <li key={scope}>
                    <code>{scope}</code>: {SCOPES[scope]}
                  </li>
                ))}
              </ul>
            </dd>
          </div>
        ))}
      </dl>
      <RoleMapping />
    </details>
  );
}
