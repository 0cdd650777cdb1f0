// Forms that were typed into and not taken up into the draft yet, each by its address. They hold what goes into records, which
// is for others to read: never a secret.
import { tabStore } from './tab-store.ts';

export const begunForms = tabStore<unknown>('cairn-forms');
