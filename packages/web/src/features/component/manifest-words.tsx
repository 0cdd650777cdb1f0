import type { RepositoryName } from '../../app/sight.ts';
import { Text } from '../../ui/text.tsx';
import { leftToSetup, rowsOf } from './manifest.ts';

interface ManifestWordsProps {
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly place?: RepositoryName;
}

export function ManifestWords({ manifest, place }: ManifestWordsProps) {
  const rows = rowsOf(manifest, place);
  if (rows.length === 0) return <p>It needs no permissions and adds nothing.</p>;
  return (
    <dl className="asked-for">
      {rows.map(({ what, items }) => (
        <div key={what}>
          <dt>{what}</dt>
          {items.map((item) => (
            <dd key={item}>
              <Text most={1_000}>{item}</Text>
            </dd>
          ))}
        </div>
      ))}
    </dl>
  );
}

export function NoSetup({ manifest, place }: { manifest: Readonly<Record<string, unknown>>; place?: RepositoryName }) {
  const left = leftToSetup(manifest, place);
  if (left.length === 0) return null;
  return (
    <section className="problem" aria-label="Missing parts">
      <p>
        Only a setup endpoint can create these parts, and this component has none:{' '}
        <Text most={1_000}>{left.join(', ')}</Text>. It will be degraded after the installation.
      </p>
      <p>
        Its publisher can add one with <code>cairn component publish --setup-url</code>. See{' '}
        <a href="/docs/components#the-setup-endpoint">The setup endpoint</a>. Reinstall the component afterwards.
      </p>
    </section>
  );
}
