import { CairnError } from '@cairn/sdk';
import { useMutation } from '@tanstack/react-query';
import { useDraft } from '../../app/draft.ts';
import { client } from '../../app/session.ts';
import type { Sight } from '../../app/sight.ts';
import { type Change, inOrder, operationsOf, withChange } from '../../data/change.ts';

/** Takes a change up into the draft, once the server has nothing against it. Who was faster is a question for the draft. */
export function useStage(sight: Sight) {
  const { changes, put } = useDraft(sight);
  return useMutation({
    mutationFn: async (change: Change) => {
      const all = withChange(changes, change);
      const { operations } = await client.commit.validate(sight.orgName, sight.repoName, {
        atomic: false,
        operations: operationsOf(all),
      });
      const place = inOrder(all).indexOf(change);
      const found = operations.find(({ opIndex }) => opIndex === place);
      if (found?.error !== undefined && found.error.code !== 'CONFLICT') {
        throw new CairnError(found.error.code, found.error);
      }
      if (found?.status === 'noop') throw new NothingNew();
      put(change);
    },
  });
}

class NothingNew extends Error {
  constructor() {
    super('Nothing is different yet. Change something first.');
  }
}
