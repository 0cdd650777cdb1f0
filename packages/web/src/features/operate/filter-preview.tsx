import type { PreviewedOperation, SubscriptionFilter } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { problemOf } from '../../app/problem.ts';
import type { Sight } from '../../app/sight.ts';
import { Text } from '../../ui/text.tsx';
import { useSettled } from '../../ui/use-settled.ts';
import { filterPreview } from './subscription.ts';

interface FilterPreviewProps {
  readonly sight: Sight;
  readonly filter: SubscriptionFilter;
  readonly source: string;
}

/** Which of the last operations the filter matches, by the server's own word. */
export function FilterPreview({ sight, filter, source }: FilterPreviewProps) {
  const tried = useSettled(JSON.stringify({ filter, source }));
  const { filter: asked, source: of } = JSON.parse(tried) as Pick<FilterPreviewProps, 'filter' | 'source'>;
  const preview = useQuery({ ...filterPreview(sight, { filter: asked, source: of }), retry: false });
  return (
    <section className="preview" aria-labelledby="preview">
      <h2 id="preview">What it would have matched</h2>
      <p role="status">{preview.isError ? '' : saidOf(preview.data?.items)}</p>
      {preview.isError && (
        <p className="problem" role="alert">
          {problemOf(preview.error).advice}
        </p>
      )}
      {!preview.isError && preview.data !== undefined && preview.data.items.length > 0 && (
        <Operations sight={sight} source={of} operations={preview.data.items} />
      )}
    </section>
  );
}

function saidOf(items: readonly PreviewedOperation[] | undefined): string {
  if (items === undefined) return 'Trying it on the last operations…';
  if (items.length === 0) return 'There is no operation yet to try it on.';
  const matching = items.filter(({ matches }) => matches).length;
  const all = items.length === 1 ? 'the only operation' : `the last ${items.length} operations`;
  return `${matching} of ${all} ${matching === 1 ? 'matches' : 'match'}.`;
}

interface OperationsProps {
  readonly sight: Sight;
  readonly source: string;
  readonly operations: readonly PreviewedOperation[];
}

function Operations({ sight, source, operations }: OperationsProps) {
  const [orgName = '', repoName = ''] = source === '' ? [sight.orgName, sight.repoName] : source.split('/');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <ol className="previewed" tabIndex={0} aria-label="The last operations, newest first">
      {operations.map(({ repoSeq, opIndex, operation, kind, name, from, matches }) => (
        <li key={`${repoSeq} ${opIndex}`} className={matches ? 'matching' : undefined}>
          <span className="mark">{matches ? 'matches' : ''}</span>
          <span className="sequence">
            <CommitNumber orgName={orgName} repoName={repoName} repoSeq={repoSeq} />
          </span>
          <span className={`done ${operation}`}>{operation}</span>
          <span className="name">
            {from !== undefined && (
              <>
                <Text>{from}</Text> →{' '}
              </>
            )}
            <Text>{name}</Text> <span className="quiet">{kind}</span>
          </span>
        </li>
      ))}
    </ol>
  );
}

interface CommitNumberProps {
  readonly orgName: string;
  readonly repoName: string;
  readonly repoSeq: number;
}

export function CommitNumber({ orgName, repoName, repoSeq }: CommitNumberProps) {
  return (
    <Link
      to="/$orgName/$repoName/commits/$repoSeq"
      params={{ orgName, repoName, repoSeq: String(repoSeq) }}
      search={{}}
    >
      {repoSeq.toLocaleString('en')}
    </Link>
  );
}
