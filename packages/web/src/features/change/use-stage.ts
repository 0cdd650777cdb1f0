import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../app/session.ts';
import type { Sight } from '../../app/sight.ts';
import { whereabouts } from '../record/record.ts';
import { textNamed } from '../repository/repository-text.ts';
import { type Added, type Change, keyOf, operationsOf, withChange } from './change.ts';
import { inOrder } from './change-order.ts';
import { withPresentNames } from './followed.ts';
import { useDraft } from './kept-draft.ts';
import { type Refusal, refusalOf } from './refusal.ts';

/**
 * Takes a change up into the draft, once the server has nothing against it; in place of `kept`, where it was there already. Who was
 * faster is a question for the draft.
 */
export function useStage(sight: Sight, kept?: Added) {
  const { changes, put, replace } = useDraft(sight);
  const queries = useQueryClient();
  const presentNameOf = async (name: string) => {
    const found = await queries.fetchQuery({ ...whereabouts(sight, name), staleTime: 0 });
    return found.kind === 'renamed' ? found.name : undefined;
  };
  return useMutation({
    mutationFn: async (change: Change) => {
      const others = changes.filter((one) => one !== kept);
      const refused = await refusalOf(change, others, async (one) => {
        const refusal = await ask(sight, others, one);
        return refusal && withPresentNames(one, refusal, presentNameOf);
      });
      if (refused !== undefined) throw refused;
      if (kept === undefined || !changes.includes(kept)) put(change);
      else replace(kept, change);
    },
  });
}

/** What the server would say against a change, after the others. */
async function ask(sight: Sight, others: readonly Change[], change: Change): Promise<Refusal | undefined> {
  if (change.step === 'add' && others.some((one) => keyOf(one) === keyOf(change))) return addedTwice(change.name);
  const all = withChange(others, change);
  const { operations } = await client.commit.validate(sight.orgName, sight.repoName, {
    atomic: false,
    operations: operationsOf(all),
  });
  const place = inOrder(all).indexOf(change);
  const found = operations.find(({ opIndex }) => opIndex === place);
  if (found?.status === 'noop') throw new NothingNew(change.step === 'add' ? SAME_MEMBERS : NOTHING_NEW);
  return isLate(change, found?.error) ? undefined : found?.error;
}

/** A text about the repository has no other name to choose. */
const isLate = ({ name }: Change, refusal: Refusal | undefined): boolean =>
  refusal?.code === 'CONFLICT' || (refusal?.code === 'ALREADY_EXISTS' && textNamed(name) !== undefined);

const addedTwice = (name: string): Refusal => ({
  code: 'ALREADY_EXISTS',
  message: `${name} is among your changes already. Choose another name, or edit that one in the draft.`,
});

const NOTHING_NEW = 'Nothing is different yet. Change something first.';
const SAME_MEMBERS =
  'One with the same members is there, or among your changes, already. Choose others, or give this one a name.';

class NothingNew extends Error {}
