import type { RotatedToken, TokenRecord } from '@cairn/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useNotice } from '../../app/notice.tsx';
import { client } from '../../app/session.ts';
import { Author } from '../../ui/author.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Text } from '../../ui/text.tsx';
import { tokens } from './token.ts';
import { toldOf } from './token-draft.ts';
import { TokenValue } from './token-value.tsx';

/** One token: what it may do, until when, and when it was last used. */
export function TokenRow({ token }: { token: TokenRecord }) {
  const { name, description, scopes } = token;
  const [rotated, setRotated] = useState<RotatedToken>();
  const queries = useQueryClient();
  const say = useNotice();
  const refresh = () => queries.invalidateQueries({ queryKey: tokens.queryKey });
  const rotate = async () => {
    setRotated(await client.token.rotate(name));
    // Not waited for: the question would stand before the new one, which the keyboard goes on with.
    void refresh();
  };
  const revoke = async () => {
    await client.token.revoke(name);
    say({ text: `The token ${name} is revoked.` });
    await refresh();
  };
  return (
    <>
      <div>
        <p>
          {name} {isOver(token) && <span className="label">{token.revokedAt === undefined ? 'ended' : 'revoked'}</span>}
        </p>
        {description !== '' && (
          <p>
            <Text>{description}</Text>
          </p>
        )}
        {scopes.map((entry) => (
          <p key={toldOf(entry)} className="quiet">
            <Text>{toldOf(entry)}</Text>
          </p>
        ))}
        <Dates token={token} />
      </div>
      {!isOver(token) && (
        <div className="actions">
          <Confirm
            action="Rotate"
            label={`Rotate ${name}`}
            title={`Give ${name} another value?`}
            onConfirm={rotate}
            isSmall
          >
            <p>
              The new value is shown once. The one of before is taken for 24 hours more, so that you can replace it.
            </p>
          </Confirm>
          <Confirm action="Revoke" label={`Revoke ${name}`} title={`Revoke ${name}?`} onConfirm={revoke} isSmall>
            <p>
              It ends at once, with all tokens that were made by it. That cannot be undone, and its name is never used
              again.
            </p>
          </Confirm>
        </div>
      )}
      {rotated !== undefined && <TokenValue minted={rotated} onDone={() => setRotated(undefined)} />}
    </>
  );
}

const isOver = ({ revokedAt, expiresAt }: TokenRecord): boolean => revokedAt !== undefined || expiresAt <= Date.now();

function Dates({ token: { createdAt, createdBy, expiresAt, lastUsedAt, revokedAt } }: { token: TokenRecord }) {
  return (
    <p className="quiet">
      Made <Moment at={createdAt} />
      {createdBy !== 'session' && (
        <>
          {' '}
          by <Author createdBy={createdBy} />
        </>
      )}
      , {revokedAt === undefined ? 'ends' : 'revoked'}{' '}
      <Moment at={revokedAt ?? expiresAt} isPlanned={revokedAt === undefined} />,{' '}
      {lastUsedAt === undefined ? 'never used' : 'last used '}
      {lastUsedAt !== undefined && <Moment at={lastUsedAt} />}
    </p>
  );
}
