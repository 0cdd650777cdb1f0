import { type FormEvent, useEffect, useId, useState } from 'react';
import { problemOf } from '../../app/problem.ts';
import { wordsText } from './problem-place.ts';
import type { Choose } from './use-choice.ts';

interface SearchBoxProps {
  readonly words: string | undefined;
  readonly choose: Choose;
  /** Why the words cannot be searched for. */
  readonly problem: unknown;
}

export function SearchBox({ words = '', choose, problem }: SearchBoxProps) {
  const id = useId();
  const [typed, setTyped] = useState(words);
  // They may change otherwise too: by a link, by going back.
  useEffect(() => setTyped(words), [words]);
  const search = (event: FormEvent) => {
    event.preventDefault();
    choose({ q: typed.trim() || undefined });
  };
  return (
    <search>
      <form className="search-box" onSubmit={search}>
        <label htmlFor={id} className="hidden">
          Words in names and texts
        </label>
        <input
          id={id}
          type="search"
          placeholder="Words in names and texts"
          maxLength={256}
          value={typed}
          aria-describedby={problem === null ? undefined : `${id}-problem`}
          onChange={({ target }) => {
            setTyped(target.value);
            // Emptied, it means that nothing is searched for any more.
            if (target.value === '' && words !== '') choose({ q: undefined });
          }}
        />
        <button type="submit">Search</button>
      </form>
      <p className="quiet hint">
        Whole words, all of them; cave* finds what begins so. For what is retracted, tick “Also retracted” under
        Filters.
      </p>
      {problem !== null && (
        <p id={`${id}-problem`} className="problem" role="alert">
          {wordsText(problemOf(problem).advice)}{' '}
          <button type="button" className="small" onClick={() => choose({ q: undefined })}>
            Clear the search
          </button>
        </p>
      )}
    </search>
  );
}
