import type { Subscription } from '@cairn/sdk';

/** For who writes the receiver. */
export function WhatIsSent({ subscription }: { subscription: Subscription }) {
  const { orgName, repoName, name, event, source } = subscription;
  const isOwn = repoName === undefined;
  const [originOrg, originRepo] = source?.split('/') ?? [];
  const body = {
    event: event === undefined ? 'cairn.write' : `cairn.${event}`,
    traceId: '6f1c0c2bb3f94a0f8f6f5d1c2b3a4958',
    runId: 'run_01k5v0m3x8t4n6q2r7s9w1y5za',
    attempt: 1,
    subscriptionName: name,
    repo: isOwn ? null : { orgName, repoName },
    ...(source !== undefined && { originRepo: { orgName: originOrg, repoName: originRepo } }),
    ...(!isOwn && { repoSeq: 2 }),
    callback_url: `${window.location.origin}/api/action-runs/run_01k5v0m3x8t4n6q2r7s9w1y5za/callback`,
    ...(event === undefined
      ? {
          matchedOperationIndexes: [0],
          matchedOperations: [{ operation: 'add', kind: 'thing', wref: 'Signal/a', version: 1, data: { level: 3 } }],
        }
      : { data: dataOf(event, orgName) }),
  };
  return (
    <details>
      <summary>What is sent</summary>
      <p>
        A <code>POST</code> of JSON like this one, with <code>webhook-id</code>, <code>webhook-timestamp</code> and,
        with a signing secret, <code>webhook-signature</code> by Standard Webhooks in its headers. It is sent at least
        once: go by <code>runId</code>. <a href="/docs/actions">How to receive it</a>.
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <pre tabIndex={0}>
        <code>{JSON.stringify(body, null, 2)}</code>
      </pre>
    </details>
  );
}

function dataOf(event: string, orgName: string) {
  if (event === 'repo.renamed') return { from: 'world', to: 'valley' };
  return event.endsWith('renamed') ? { from: 'Signal/a', to: 'Signal/b' } : { orgName, repoName: 'world' };
}
