// A repository with one shape and one record, for tests of changes.
import type { CairnClient } from '@cairn/sdk';

export async function fillCave(client: CairnClient) {
  await client.repo.create('ada', 'world', { visibility: 'public' });
  await client.commit.submit('ada', 'world', {
    operations: [
      { kind: 'shape', name: 'Place', data: { fields: { label: 'string' } } },
      { name: 'Place/cave', data: { label: 'A cave' } },
    ],
  });
}
