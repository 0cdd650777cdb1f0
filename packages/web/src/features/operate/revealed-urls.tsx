import { useMutation } from '@tanstack/react-query';
import type { Home } from '../../app/home.ts';
import { problemOf } from '../../app/problem.ts';
import { client } from '../../app/session.ts';
import { ActButton } from '../../ui/act-button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';

/** The addresses in full, for who asks; nothing keeps them but this part of the page. */
export function RevealedUrls({ home: { orgName, repoName }, name }: { home: Home; name: string }) {
  const reveal = useMutation({
    mutationFn: () => client.subscription.reveal(orgName, repoName, name),
    gcTime: 0,
  });
  const { data } = reveal;
  return (
    <div>
      <ActButton
        isSmall
        isPending={reveal.isPending}
        onAct={() => (data === undefined ? reveal.mutate() : reveal.reset())}
      >
        {data === undefined ? 'Show the addresses in full' : 'Hide the addresses'}
      </ActButton>{' '}
      <span className="quiet">The audit log says who saw them.</span>
      <div role="status">
        {data !== undefined && (
          <div className="revealed">
            <Address what="The webhook address" url={data.webhookUrl} />
            {data.fallbackWebhookUrl !== undefined && (
              <Address what="The fallback address" url={data.fallbackWebhookUrl} />
            )}
          </div>
        )}
      </div>
      {reveal.isError && (
        <p className="problem" role="alert">
          {problemOf(reveal.error).advice}
        </p>
      )}
    </div>
  );
}

function Address({ what, url }: { what: string; url: string }) {
  return (
    <p className="secret">
      {what}: <code>{url}</code> <CopyButton text={url} what={what} />
    </p>
  );
}
