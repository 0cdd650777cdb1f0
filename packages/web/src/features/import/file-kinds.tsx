import type { Scope } from '@cairn/protocol/scopes';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../app/may.ts';
import { description } from '../../app/queries.ts';
import type { Sight } from '../../app/sight.ts';
import { Text } from '../../ui/text.tsx';
import { rightText } from '../organization/role.ts';
import { sampleLine } from '../records/sample-line.ts';

/** Which files can be imported, what each takes, and what a line looks like: before one is chosen. */
export function FileKinds({ sight }: { sight: Sight }) {
  const line = sampleLine(useQuery(description(sight)).data?.shapes ?? []);
  return (
    <dl className="file-kinds">
      <dt>An export of Cairn</dt>
      <dd>
        Restored as a whole, into a repository that is empty or was restored before.{' '}
        <Takes sight={sight} scope="repo:admin" /> <a href="/docs/exporting#importing">How exports are imported</a>.
      </dd>
      <dt>A file of operations</dt>
      <dd>
        NDJSON: one operation in a line, written line by line, into any repository.{' '}
        <Takes sight={sight} scope="repo:write" /> <a href="/docs/streaming#sending-a-file">What a line can be</a>.
        {line !== undefined && (
          <figure>
            <figcaption className="quiet">A line that adds a record here</figcaption>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
            <pre tabIndex={0}>
              <code>
                <Text most={2_000}>{line}</Text>
              </code>
            </pre>
          </figure>
        )}
      </dd>
    </dl>
  );
}

function Takes({ sight, scope }: { sight: Sight; scope: Scope }) {
  const may = useMay(sight, scope);
  return (
    <>
      It takes the right to {rightText(scope)}
      {may === false && ', which your role does not give'}.
    </>
  );
}
