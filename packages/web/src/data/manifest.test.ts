import { describe, expect, it } from 'vitest';
import { rowsOf } from './manifest.ts';

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
      { what: 'It reads', items: ['Text'] },
      {
        what: 'It is told of',
        items: [
          'commits that touch Text, at https://x.example',
          'commits ({"operation":"add"}), at an address that its setup gives',
        ],
      },
      { what: 'It brings the shapes', items: ['Of-acme: What is kept.'] },
      { what: 'It needs the secrets', items: ['keys: A, B', 'others'] },
      { what: 'It makes the first records', items: ['Text/world'] },
      { what: 'It answers the commands', items: ['count'] },
    ]);
  });

  it('is nothing where nothing is asked for', () => {
    expect(rowsOf({ component: { id: 'com.acme.Small' } })).toEqual([]);
  });
});
