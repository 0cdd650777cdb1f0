// Valid metadata of OAuth clients.
import { describe, expect, it } from 'vitest';
import { checkClient } from './client-policy.ts';

describe('a client', () => {
  it('says little, whatever it is', () => {
    const says = { client_name: 'Notes', redirect_uris: ['https://app.example/callback', 'com.example.notes:/back'] };
    expect(() => checkClient(says)).not.toThrow();
    expect(() => checkClient({ ...says, contacts: ['x'.repeat(8_000)] } as never)).toThrow();
    expect(() => checkClient({ ...says, client_name: 'x'.repeat(101) })).toThrow();
    expect(() => checkClient({ ...says, redirect_uris: [`https://app.example/${'x'.repeat(1_000)}`] })).toThrow();
    expect(() => checkClient({ ...says, redirect_uris: Array(21).fill('https://app.example/') })).toThrow();
  });

  it.each(['cursor://anysphere.cursor-retrieval/oauth/callback', 'vscode://x.y/callback', 'com.example.notes:/back'])(
    'may be an application of its own scheme: %s',
    (redirect) => expect(() => checkClient({ redirect_uris: [redirect] })).not.toThrow(),
  );

  it.each([
    ...[
      'ms-msdt:/id',
      'search-ms:query=x',
      'ms-settings:privacy',
      'shell:startup',
      'ssh://evil.example',
      'smb://evil.example/x',
    ],
    ...[
      'x-apple.systempreferences:',
      'jnlp://evil.example/a',
      'itms-apps://x',
      'tel:110',
      'javascript:alert(1)',
      'MS-MSDT:/id',
    ],
  ])('starts no program of the system: %s', (redirect) =>
    expect(() => checkClient({ redirect_uris: [redirect] })).toThrow(),
  );
});
