import type { RepositoryName } from '../../app/sight.ts';
import { Text } from '../../ui/text.tsx';
import { leftToSetup, type ManifestRow, rowsOf } from './manifest.ts';

interface ManifestWordsProps {
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly place?: RepositoryName;
}

export function ManifestWords({ manifest, place }: ManifestWordsProps) {
  const rows = rowsOf(manifest, place);
  if (rows.length === 0) return <p>It asks for nothing, and brings nothing.</p>;
  return (
    <dl className="asked-for">
      {rows.map((row) => (
        <Row key={row.what} row={row} />
      ))}
    </dl>
  );
}

const Row = ({ row: { what, items } }: { row: ManifestRow }) => (
  <div>
    <dt>{what}</dt>
    {items.map((item) => (
      <dd key={item}>
        <Text most={1_000}>{item}</Text>
      </dd>
    ))}
  </div>
);

export function NoSetup({ manifest, place }: { manifest: Readonly<Record<string, unknown>>; place?: RepositoryName }) {
  const left = leftToSetup(manifest, place);
  if (left.length === 0) return null;
  return (
    <section className="problem" aria-label="What will be missing">
      <p>
        It has no setup endpoint, and leaves to one what nothing else makes: <Text most={1_000}>{left.join(', ')}</Text>
        . Without that it is degraded once it is installed.
      </p>
      <p>
        Who publishes it can give it one, by <code>cairn component publish</code> with <code>--setup-url</code>:{' '}
        <a href="/docs/components#the-setup-endpoint">The setup endpoint</a> tells how. Install it again then.
      </p>
    </section>
  );
}
