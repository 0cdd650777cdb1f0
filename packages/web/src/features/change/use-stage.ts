import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useBlocker, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { begunForms, isLeaving } from '../../app/begun.ts';
import { toDraft } from '../../app/links.ts';
import { useNotice } from '../../app/notice.tsx';
import { client } from '../../app/session.ts';
import { homeName, type Sight } from '../../app/sight.ts';
import { whereabouts } from '../record/record.ts';
import { textNamed } from '../repository/repository-text.ts';
import { type Added, type Change, changeKey, inOrder, operationsOf, withChange } from './change.ts';
import { withPresentNames } from './followed.ts';
import { useDraft } from './kept-draft.ts';
import { type Refusal, refusalOf } from './refusal.ts';

/** Validates a change and puts it into the draft, replacing `kept`. Conflicts are left to the draft. */
function useStage(sight: Sight, kept?: Added) {
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

async function ask(sight: Sight, others: readonly Change[], change: Change): Promise<Refusal | undefined> {
  if (change.step === 'add' && others.some((one) => changeKey(one) === changeKey(change)))
    return addedTwice(change.name);
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

/** Texts about the repository have fixed names, so an existing one means a concurrent edit. */
const isLate = ({ name }: Change, refusal: Refusal | undefined): boolean =>
  refusal?.code === 'CONFLICT' || (refusal?.code === 'ALREADY_EXISTS' && textNamed(name) !== undefined);

const addedTwice = (name: string): Refusal => ({
  code: 'ALREADY_EXISTS',
  message: `Your draft already adds ${name}. Choose another name, or edit that change in the draft.`,
});

const NOTHING_NEW = 'Nothing changed. Edit something first.';
const SAME_MEMBERS =
  'A collection with the same members already exists, here or in your draft. Choose other members, or give this one a name.';

class NothingNew extends Error {}

/** Stages a change, and then goes to the draft, or on to `next`. */
export function useReview(sight: Sight, kept?: Added) {
  const stage = useStage(sight, kept);
  const navigate = useNavigate();
  const goToDraft = () => void navigate({ ...toDraft(sight), ignoreBlocker: true });
  const review = (change: Change, done?: () => void, next: () => void = goToDraft) =>
    stage.mutate(change, {
      onSuccess: () => {
        done?.();
        next();
      },
    });
  return { stage, review, form: { action: 'Review', doing: 'Checking…', isPending: stage.isPending } };
}

const LEAVING = 'Your input is not in the draft yet. You lose it if you leave this page. Leave the page?';
const NO_ROOM = 'The browser has no space to store your input. You lose it if you reload the page.';

/** `round` counts restarts, as a key for controls with state. `box` holds the first control, which they focus. */
export function useFilled<Filled extends object>(sight: Sight, form: string, atFirst: () => Filled) {
  const name = `${homeName(sight)} ${form}`;
  const [{ first, before, round }, setBegun] = useState(() => ({
    first: atFirst(),
    before: begunForms.state().entries.get(name) as Filled | undefined,
    round: 0,
  }));
  const [filled, setFilled] = useState(before ?? first);
  const isBegun = filled !== first;
  useEffect(() => {
    if (isBegun) begunForms.set(name, filled);
  }, [name, filled, isBegun]);
  useSayUnkept(isBegun);
  const done = () => begunForms.set(name, undefined);
  useBlocker({
    disabled: !isBegun,
    enableBeforeUnload: () => isBegun && !isLeaving(),
    shouldBlockFn: ({ current, next }) => {
      if (current.pathname === next.pathname) return false;
      if (!window.confirm(LEAVING)) return true;
      done();
      return false;
    },
  });
  const box = useFirstControl(round);
  const begin = (anew: Filled) => {
    done();
    setBegun({ first: anew, before: undefined, round: round + 1 });
    setFilled(anew);
  };
  const fill = (part: Partial<Filled>) => setFilled((now) => ({ ...now, ...part }));
  return { filled, fill, isBack: before !== undefined, first, begin, round, box, done };
}

function useSayUnkept(isBegun: boolean) {
  const say = useNotice();
  const isKept = useSyncExternalStore(begunForms.subscribe, () => begunForms.state().isKept);
  useEffect(() => {
    if (isBegun && !isKept) say({ text: NO_ROOM });
  }, [isBegun, isKept, say]);
}

function useFirstControl(round: number) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (round > 0) box.current?.querySelector<HTMLElement>('input, textarea, select')?.focus();
  }, [round]);
  return box;
}
