import type { CredentialSet } from '@cairn/sdk';
import { useQueryClient } from '@tanstack/react-query';
import type { Home } from '../../app/home.ts';
import { useNotice } from '../../app/notice.tsx';
import { client } from '../../app/session.ts';
import { Author } from '../../ui/author.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { focusContent } from '../../ui/focus-content.ts';
import { Moment } from '../../ui/moment.tsx';
import { keyWords } from './credential-key.ts';
import { credentialSetNamed, credentialsKey } from './credential-set.ts';

/** Which keys a set holds, not what they are. */
export function CredentialKeys({ home, set: { name, keys } }: { home: Home; set: CredentialSet }) {
  if (keys.length === 0) return <p>It has no keys.</p>;
  return (
    <ul className="operated" aria-label="Keys">
      {keys.map(({ key, setAt, setBy }) => (
        <li key={key}>
          <p>
            <code>{key}</code> <Unset home={home} name={name} unset={key} />
          </p>
          {keyWords(key) !== undefined && <p>It {keyWords(key)}.</p>}
          <p className="quiet">
            set <Moment at={setAt} /> by <Author createdBy={setBy} />
          </p>
        </li>
      ))}
    </ul>
  );
}

function Unset({ home, name, unset }: { home: Home; name: string; unset: string }) {
  const { orgName, repoName } = home;
  const queries = useQueryClient();
  const say = useNotice();
  const remove = async () => {
    const changed = await client.credential.unsetKey(orgName, repoName, name, unset);
    queries.setQueryData(credentialSetNamed(home, name).queryKey, changed);
    say({ text: `${unset} is taken out of ${name}.` });
    await queries.invalidateQueries({ queryKey: credentialsKey(home) });
    focusContent();
  };
  return (
    <Confirm action={`Unset ${unset}`} isSmall title={`Unset ${unset}?`} onConfirm={remove}>
      <p>Its value is gone afterwards, and nobody can show it: to have it again, it must be set anew.</p>
    </Confirm>
  );
}
