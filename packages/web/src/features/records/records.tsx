import { CairnError } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { Shown } from '../../app/calls.ts';
import { Calls } from '../../app/calls.tsx';
import type { RecordsSearch } from '../../app/search.ts';
import { atOf, type Sight, useSight } from '../../app/sight.ts';
import { useTitle } from '../../ui/title.ts';
import { AddRecordLink, ImportLink, WriteLinks } from '../change/write-links.tsx';
import { columnsOf } from '../shape/declared-field.ts';
import { Filters } from './filters.tsx';
import { FoundRecords } from './found-records.tsx';
import { PastSearch } from './past-search.tsx';
import { placeOfProblem } from './problem-place.ts';
import { filterOf, type Listing, optionsOf, recordRows, shapeFields } from './records.ts';
import { SearchBox } from './search-box.tsx';
import { UnknownShape } from './unknown-shape.tsx';
import { useChoice } from './use-choice.ts';
import '../../ui/css/records.css';

/** The records of a repository in a table: which of them, in which order, and found by which words, is in the address. */
export function Records() {
  const sight = useSight();
  const { search, choose } = useChoice();
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
      <SearchBox words={search.q} choose={choose} problem={problem === 'words' ? rows.error : null} />
      <Filters
        sight={sight}
        search={search}
        fields={fields}
        choose={choose}
        problem={problem === 'filters' ? rows.error : null}
      />
      {isOfThePast ? (
        <PastSearch choose={choose} />
      ) : unknown !== undefined ? (
        <UnknownShape shape={search.shape ?? ''} error={unknown} />
      ) : (
        <FoundRecords
          rows={rows}
          search={search}
          fields={fields}
          isTold={problem !== undefined && problem !== 'list'}
          choose={choose}
        />
      )}
      <Calls shown={callsOf(sight, listing)} />
    </div>
  );
}

function useRecords(sight: Sight, search: RecordsSearch) {
  const { shape } = search;
  const declared = useQuery({ ...shapeFields(sight, shape ?? ''), enabled: shape !== undefined });
  const fields = shape === undefined ? undefined : declared.data;
  // Of a shape that declares nothing the data is shown in short, as without a shape.
  const columns = useMemo(
    () => (fields === undefined || fields.length === 0 ? undefined : columnsOf(fields)),
    [fields],
  );
  const listing: Listing = { search, columns };
  const unknown = shape !== undefined && isNotFound(declared.error) ? declared.error : undefined;
  const isKnown = shape === undefined || (!declared.isPending && unknown === undefined);
  const isPossible = search.q === undefined || sight.at === undefined;
  const rows = useQuery({ ...recordRows(sight, listing), enabled: isKnown && isPossible });
  return { fields: fields ?? [], listing, rows, unknown };
}

const isNotFound = (error: unknown) => error instanceof CairnError && error.code === 'NOT_FOUND';

function callsOf(sight: Sight, listing: Listing): Shown[] {
  const { orgName, repoName } = sight;
  const at = listing.search.q === undefined ? atOf(sight) : {};
  const rest = `/api/repos/${orgName}/${repoName}/query`;
  return [
    { what: 'The records', procedure: 'thing.query', options: { ...optionsOf(listing), ...at }, rest },
    { what: 'How many there are', procedure: 'thing.count', options: { ...filterOf(listing.search), ...at } },
  ];
}
