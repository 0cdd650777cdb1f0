interface Paged {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly isFetchNextPageError: boolean;
  readonly fetchNextPage: () => Promise<unknown>;
}

export function MorePages({ query, what }: { query: Paged; what: string }) {
  if (!query.hasNextPage) return null;
  return (
    <p>
      <button
        type="button"
        className="small"
        disabled={query.isFetchingNextPage}
        onClick={() => void query.fetchNextPage()}
      >
        {query.isFetchingNextPage ? `Loading ${what}…` : `Show more ${what}`}
      </button>
      {query.isFetchNextPageError && <span className="problem"> This did not work. Try again.</span>}
    </p>
  );
}
