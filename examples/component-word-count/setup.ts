// Handles /setup, which the server calls at each install and update. The setup token lives for minutes, and can only
// create what the manifest leaves to setup. The component works with the runtime token from then on.
import { randomBytes } from 'node:crypto';
import { CairnClient } from '@cairn/sdk';
import type { Installs } from './install.ts';

export interface SetupCall {
  readonly installId: string;
  readonly installRepo: string;
  readonly apiUrl: string;
  readonly setup_token: string;
  readonly runtime_token: string;
}

/** May run any number of times: everything that already exists stays as it is. */
export async function setUp(installs: Installs, publicUrl: string, call: SetupCall): Promise<void> {
  const { installId, installRepo, apiUrl, setup_token: setupToken, runtime_token: runtimeToken } = call;
  const [orgName = '', repoName = ''] = installRepo.split('/');
  const { webhookSecret, cliSecret } = installs.get(installId) ?? newSecrets();
  // Saved first: even if a call below fails, deliveries signed with these secrets can be verified.
  installs.keep({ installId, apiUrl, webhookSecret, cliSecret, runtimeToken });
  const client = new CairnClient({ url: apiUrl, token: setupToken });
  await client.credential.create(orgName, repoName, 'word-count');
  await client.credential.setKeys(orgName, repoName, 'word-count', {
    WEBHOOK_SIGNING_SECRET: webhookSecret,
    CLI_SIGNING_SECRET: cliSecret,
  });
  await client.subscription.create(orgName, repoName, 'word-count', {
    filter: { shape: 'Text', operation: ['add', 'revise'] },
    webhookUrl: `${publicUrl}/webhook`,
    credentialSet: 'word-count',
  });
}

function newSecrets() {
  return {
    webhookSecret: `whsec_${randomBytes(32).toString('base64')}`,
    cliSecret: randomBytes(32).toString('base64url'),
  };
}
