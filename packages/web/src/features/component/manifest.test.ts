import { describe, expect, it } from 'vitest';
import { lacksSetupAlone, leftToSetup, rowsOf } from './manifest.ts';

describe('what a component asks for', () => {
  it('is said in rows, with names as they will be in the repository', () => {
    const manifest = {
      shapes: [{ name: 'Of-<org-name>', fields: {}, description: 'What is kept.' }],
      credentials: [{ name: 'keys', requiredKeys: [{ key: 'A' }, { key: 'B' }] }, { name: 'others' }],
      subscriptions: [
        { name: 's', trigger: { kind: 'event', shape: 'Text' }, webhookUrl: 'https://x.example/secret/path' },
        { name: 't', trigger: { kind: 'event', filter: { operation: 'add' } }, webhookUrl: '{setup-supplied:/t}' },
      ],
      seeds: [{ shape: 'Text', name: '<repo-name>', data: {} }],
      runtimeAccess: { reads: ['Text'], writes: [] },
      cli: { methods: [{ name: 'count', method: 'GET' }] },
    };
    expect(rowsOf(manifest, { orgName: 'acme', repoName: 'world' })).toEqual([
      { what: 'Reads', items: ['Text'] },
      {
        what: 'Gets deliveries for',
        items: [
          'commits that touch Text, at https://x.example',
          'commits ({"operation":"add"}), at an address that its setup provides',
        ],
      },
      { what: 'Adds shapes', items: ['Of-acme: What is kept.'] },
      { what: 'Needs secrets', items: ['keys: A, B', 'others'] },
      { what: 'Adds records', items: ['Text/world'] },
      { what: 'Adds commands', items: ['count'] },
    ]);
  });

  it('is nothing where nothing is asked for', () => {
    expect(rowsOf({ component: { id: 'com.acme.Small' } })).toEqual([]);
  });

  it('is missing where it is left to a setup endpoint and there is none', () => {
    const manifest = {
      shapes: [{ name: 'Text', fields: {} }],
      credentials: [{ name: 'of-<repo-name>', provisioning: 'setup' }],
      subscriptions: [{ name: 's', provisioning: 'setup' }],
    };
    const left = leftToSetup(manifest, { orgName: 'acme', repoName: 'world' });
    expect(left).toEqual(['credential set of-world', 'subscription s']);
    const missing = (subject: string) => ({ code: 'missing' as const, subject, message: '' });
    const newer = { code: 'newer-version' as const, message: '' };
    expect(lacksSetupAlone([missing('subscription s'), newer], left)).toBe(true);
    expect(lacksSetupAlone([missing('subscription s'), missing('shape Text')], left)).toBe(false);
    expect(lacksSetupAlone([newer], left)).toBe(false);
  });
});
