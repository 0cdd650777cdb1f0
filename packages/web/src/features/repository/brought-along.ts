// What of the counts of a repository nobody put there: its texts are records of a shape of their own.
import { BUILT_IN_SHAPES } from '@cairn/protocol/built-in-shape';
import type { RepositoryDescription } from '@cairn/sdk';
import type { TextName } from '../../app/queries.ts';

const TEXTS: Readonly<Record<TextName, string>> = { readme: 'the readme', agents: 'the text for agents' };

type Described = Pick<RepositoryDescription, 'shapes' | 'contents'>;

/** In words, by kind; empty where all are somebody's own. */
export function broughtAlong({ shapes, contents }: Described): { readonly thing: string; readonly shape: string } {
  const builtIn = shapes.map(({ name }) => name).filter((name) => Object.hasOwn(BUILT_IN_SHAPES, name));
  return {
    thing: amongThem(contents.map((name) => TEXTS[name])),
    shape: builtIn.length === 0 ? '' : `${amongThem(builtIn).slice(0, -1)}, which Cairn brings along.`,
  };
}

const LIST = new Intl.ListFormat('en');

const amongThem = (names: readonly string[]): string =>
  names.length === 0 ? '' : `${names.length} of them: ${LIST.format(names)}.`;
