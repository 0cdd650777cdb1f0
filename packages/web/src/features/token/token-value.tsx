import type { MintedToken } from '@cairn/sdk';
import { CommandNote } from '../../ui/command-note.tsx';
import { Once } from '../../ui/once.tsx';

/** The value of a token, and how it is used at once. */
export function TokenValue({ minted: { name, token }, onDone }: { minted: MintedToken; onDone: () => void }) {
  const url = window.location.origin;
  return (
    <Once
      title={`The token ${name}`}
      texts={[
        { what: 'Value', text: token },
        { what: 'For the command', text: `CAIRN_URL=${url} CAIRN_TOKEN=${token} cairn auth whoami` },
        { what: 'For curl', text: `curl -H 'Authorization: Bearer ${token}' ${url}/trpc/auth.whoami` },
        { what: 'For the SDK', text: `const client = new CairnClient({ url: '${url}', token: '${token}' });` },
      ]}
      onDone={onDone}
    >
      <p>It is shown only now: the server keeps no copy that it could show again. Put it where secrets are kept.</p>
      <p className="hint">
        <CommandNote />
      </p>
    </Once>
  );
}
