import type { RecordItem } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { isMissing } from '../../app/problem.ts';
import { type Sight, useAskedAs, useSight } from '../../app/sight.ts';
import { Loaded, useTitle } from '../../ui/page.tsx';
import { plain } from '../../ui/unseen.ts';
import { MissingRecord, MissingVersion } from './missing-record.tsx';
import { record } from './record.ts';
import { RecordView } from './record-view.tsx';

export function Record() {
  const { _splat: name = '' } = useParams({ from: '/$orgName/$repoName/record/$' });
  return <RecordNamed key={name} sight={useSight()} name={name} askedAs={useAskedAs()} />;
}

function RecordNamed({ sight, name, askedAs }: { sight: Sight; name: string; askedAs?: string | undefined }) {
  const { version } = useSearch({ from: '/$orgName/$repoName/record/$' });
  const newest = useQuery(record(sight, name));
  useTitle(plain(name, 100), `${sight.orgName}/${sight.repoName}`);
  if (isMissing(newest.error)) {
    return (
      <MissingRecord sight={sight} name={name}>
        {(found) => found !== name && <RecordNamed key={found} sight={sight} name={found} askedAs={name} />}
      </MissingRecord>
    );
  }
  return (
    <Loaded query={newest} what="the record">
      {(head) =>
        version === undefined || version === head.version ? (
          <RecordView sight={sight} shown={head} newest={head} askedAs={askedAs} />
        ) : (
          <ChosenVersion sight={sight} head={head} version={version} askedAs={askedAs} />
        )
      }
    </Loaded>
  );
}

interface ChosenVersionProps {
  readonly sight: Sight;
  readonly head: RecordItem;
  readonly version: number;
  readonly askedAs: string | undefined;
}

function ChosenVersion({ sight, head, version, askedAs }: ChosenVersionProps) {
  const chosen = useQuery(record(sight, head.name, version));
  if (isMissing(chosen.error)) return <MissingVersion sight={sight} head={head} version={version} />;
  return (
    <Loaded query={chosen} what={`version ${version}`}>
      {(shown) => <RecordView sight={sight} shown={shown} newest={head} askedAs={askedAs} />}
    </Loaded>
  );
}
