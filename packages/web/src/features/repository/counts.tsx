import type { RepositoryDescription } from '@cairn/sdk';
import { Link } from '@tanstack/react-router';
import { type Sight, timeOf } from '../../app/sight.ts';
import { broughtAlong } from './brought-along.ts';

type Kind = keyof RepositoryDescription['counts'];

/** Said to who has never heard of them. */
const KINDS: readonly { readonly kind: Kind; readonly many: string; readonly hint: string }[] = [
  { kind: 'thing', many: 'Things', hint: 'Records that stand for themselves: a place, a person, an event.' },
  { kind: 'assertion', many: 'Assertions', hint: 'Records that say something about another record.' },
  { kind: 'collection', many: 'Collections', hint: 'Records that connect others: two ends, a set, a list.' },
  { kind: 'shape', many: 'Shapes', hint: 'Say which fields the records of one sort have.' },
];

/** How much there is, by kind. */
export function Counts({ sight, described }: { sight: Sight; described: RepositoryDescription }) {
  const brought: Partial<Record<Kind, string>> = broughtAlong(described);
  return (
    <dl className="counts kinds">
      {KINDS.map(({ kind, many, hint }) => (
        <div key={kind}>
          <dt>{many}</dt>
          <dd>
            <KindLink sight={sight} kind={kind}>
              {described.counts[kind].toLocaleString('en')}
            </KindLink>
          </dd>
          <dd className="hint">
            {hint} {brought[kind]}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function KindLink({ sight, kind, children }: { sight: Sight; kind: Kind; children: string }) {
  const { orgName, repoName } = sight;
  const params = { orgName, repoName };
  if (kind === 'shape') {
    return (
      <Link to="/$orgName/$repoName/shapes" params={params} search={timeOf(sight)}>
        {children}
      </Link>
    );
  }
  return (
    <Link to="/$orgName/$repoName/records" params={params} search={{ kind, ...timeOf(sight) }}>
      {children}
    </Link>
  );
}
