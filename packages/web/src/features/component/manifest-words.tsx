import { Text } from '../../ui/text.tsx';
import { type ManifestRow, rowsOf } from './manifest.ts';

interface ManifestWordsProps {
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly place?: { readonly orgName: string; readonly repoName: string };
}

/** What a component asks for and brings. */
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

function Row({ row: { what, items } }: { row: ManifestRow }) {
  return (
    <div>
      <dt>{what}</dt>
      {items.map((item) => (
        <dd key={item}>
          <Text most={1_000}>{item}</Text>
        </dd>
      ))}
    </div>
  );
}
