import { nearest } from '@cairn/protocol/nearest';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useEffect, useId, useMemo, useState } from 'react';
import type { ReadCall } from '../../app/calls.ts';
import { toRecords, toShapes } from '../../app/links.ts';
import { isMissing, problemOf } from '../../app/problem.ts';
import { description } from '../../app/queries.ts';
import type { RecordsSearch } from '../../app/search.ts';
import { atOf, type Sight, useSight, whenText } from '../../app/sight.ts';
import { Button, SecondaryButton, SmallButton } from '../../ui/button.tsx';
import { useTitle } from '../../ui/page.tsx';
import { Text } from '../../ui/text.tsx';
import { AddRecordLink, ImportLink, WriteLinks } from '../change/writable.tsx';
import { Calls } from '../commit/calls.tsx';
import { columnsOf } from '../shape/declaration.ts';
import { Filters } from './filters.tsx';
import { FoundRecords } from './found-records.tsx';
import { filterOf, type Listing, optionsOf, recordRows, shapeFields } from './records.ts';
import { useChoice, useGoToNow } from './use-choice.ts';
import { placeOfProblem, wordsText } from './where.ts';
import { presentName } from './whereabouts.ts';

export function Records() {
  const sight = useSight();
  const { search } = useChoice();
  useTitle('Records', `${sight.orgName}/${sight.repoName}`);
  const { fields, listing, rows, unknown } = useRecords(sight, search);
  const isOfThePast = search.q !== undefined && sight.at !== undefined;
  const problem = placeOfProblem(rows.error, search);
  return (
    <div className="records">
      <h1>Records</h1>
      <WriteLinks sight={sight}>
        <AddRecordLink sight={sight} shape={search.shape} />
        <ImportLink sight={sight} />
      </WriteLinks>
      <SearchBox problem={problem === 'words' ? rows.error : null} />
      <Filters fields={fields} problem={problem === 'filters' ? rows.error : null} />
      {isOfThePast ? (
        <PastSearch />
      ) : unknown !== undefined ? (
        <UnknownShape shape={search.shape ?? ''} error={unknown} />
      ) : (
        <FoundRecords rows={rows} fields={fields} isTold={problem !== undefined && problem !== 'list'} />
      )}
      <Calls shown={callsOf(sight, listing)} />
    </div>
  );
}

function useRecords(sight: Sight, search: RecordsSearch) {
  const { shape } = search;
  const declared = useQuery({ ...shapeFields(sight, shape ?? ''), enabled: shape !== undefined });
  const fields = shape === undefined ? undefined : declared.data;
  const columns = useMemo(
    () => (fields === undefined || fields.length === 0 ? undefined : columnsOf(fields)),
    [fields],
  );
  const listing: Listing = { search, columns };
  const unknown = shape !== undefined && isMissing(declared.error) ? declared.error : undefined;
  const isKnown = shape === undefined || (!declared.isPending && unknown === undefined);
  const isPossible = search.q === undefined || sight.at === undefined;
  const rows = useQuery({ ...recordRows(sight, listing), enabled: isKnown && isPossible });
  return { fields: fields ?? [], listing, rows, unknown };
}

function callsOf(sight: Sight, listing: Listing): ReadCall[] {
  const { orgName, repoName } = sight;
  const at = listing.search.q === undefined ? atOf(sight) : {};
  const rest = `/api/repos/${orgName}/${repoName}/query`;
  return [
    { what: 'The records', procedure: 'thing.query', options: { ...optionsOf(listing), ...at }, rest },
    { what: 'Their number', procedure: 'thing.count', options: { ...filterOf(listing.search), ...at } },
  ];
}

function PastSearch() {
  const { choose } = useChoice();
  return (
    <section className="empty" aria-label="Results">
      <p>Search covers only current records, not those of an earlier sequence.</p>
      <p className="choices">
        <Button onClick={useGoToNow()}>Search current records</Button>
        <SecondaryButton onClick={() => choose({ q: undefined })}>Clear search</SecondaryButton>
      </p>
    </section>
  );
}

function UnknownShape({ shape, error }: { shape: string; error: unknown }) {
  const sight = useSight();
  const { orgName, repoName } = sight;
  const { data } = useQuery(description(sight));
  const renamed = presentName(error);
  const meant = renamed ?? nearest(shape, data?.shapes.map(({ name }) => name) ?? [])[0];
  return (
    <section className="empty" aria-label="Results">
      <p>
        The shape <Text>{shape}</Text> does not exist{whenText(sight)}.{' '}
        {meant !== undefined && (
          <>
            {renamed === undefined ? 'Did you mean ' : 'It was renamed to '}
            <Link {...toRecords({ orgName, repoName }, { shape: meant })}>
              <Text>{meant}</Text>
            </Link>
            {renamed === undefined ? '?' : '.'}
          </>
        )}
      </p>
      <p>
        <Link {...toShapes({ orgName, repoName })}>View all shapes</Link>
      </p>
    </section>
  );
}

function SearchBox({ problem }: { problem: unknown }) {
  const {
    search: { q: words = '' },
    choose,
  } = useChoice();
  const id = useId();
  const [typed, setTyped] = useState(words);
  // Links and Back change the words too.
  useEffect(() => setTyped(words), [words]);
  const search = (event: FormEvent) => {
    event.preventDefault();
    choose({ q: typed.trim() || undefined });
  };
  return (
    <search>
      <form className="search-box" onSubmit={search}>
        <label htmlFor={id} className="hidden">
          Search names and texts
        </label>
        <input
          id={id}
          type="search"
          placeholder="Search names and texts"
          maxLength={256}
          value={typed}
          aria-describedby={problem === null ? undefined : `${id}-problem`}
          onChange={({ target }) => {
            setTyped(target.value);
            if (target.value === '' && words !== '') choose({ q: undefined });
          }}
        />
        <button type="submit">Search</button>
      </form>
      <p className="quiet hint">
        Finds records that contain all of these words. cave* also finds longer words. To find retracted records, turn on
        “Include retracted” under Filters.
      </p>
      {problem !== null && (
        <p id={`${id}-problem`} className="problem" role="alert">
          {wordsText(problemOf(problem).advice)}{' '}
          <SmallButton onClick={() => choose({ q: undefined })}>Clear search</SmallButton>
        </p>
      )}
    </search>
  );
}
