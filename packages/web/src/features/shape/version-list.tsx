import type { RecordItem } from '@cairn/sdk';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useId } from 'react';
import { toCommit, toShape } from '../../app/links.ts';
import { repository } from '../../app/queries.ts';
import type { Sight } from '../../app/sight.ts';
import { Author, Moment } from '../../ui/byline.tsx';
import { ScrolledTable } from '../../ui/list.tsx';
import { PagedList } from '../../ui/page.tsx';
import { shapeHistory } from './shape.ts';

export function VersionList({ sight, name }: { sight: Sight; name: string }) {
  const history = useInfiniteQuery(shapeHistory(sight, name));
  return (
    <PagedList query={history} what="versions">
      {(items) => (
        <ScrolledTable label="Table of versions" heads={['Version', 'Written', 'By', 'Commit']}>
          {items.map((item) => (
            <VersionRow key={item.version} sight={sight} item={item} name={name} />
          ))}
        </ScrolledTable>
      )}
    </PagedList>
  );
}

function VersionRow({ sight, item, name }: { sight: Sight; item: RecordItem; name: string }) {
  const { version, active, versionCreatedAt, createdBy, repoSeq } = item;
  return (
    <tr>
      <th scope="row">
        <Link {...toShape(sight, name, { version })} aria-label={`Version ${version}`}>
          {version}
        </Link>{' '}
        {!active && <span className="label">retracted</span>}
      </th>
      <td>
        <Moment at={versionCreatedAt} />
      </td>
      <td>
        <Author createdBy={createdBy} />
        {item.imported && <span className="quiet">, according to the import</span>}
      </td>
      <td>
        <CommitOf sight={sight} repoSeq={repoSeq} />
      </td>
    </tr>
  );
}

/** Commits before an import exist in the original only. */
function CommitOf({ sight, repoSeq }: { sight: Sight; repoSeq: number }) {
  const { data } = useQuery(repository(sight));
  if (repoSeq < (data?.importedRepoSeq ?? 1)) return repoSeq.toLocaleString('en');
  return (
    <Link {...toCommit(sight, repoSeq)} aria-label={`Commit ${repoSeq}`}>
      {repoSeq.toLocaleString('en')}
    </Link>
  );
}

export function VersionChoice({ latest, version, against }: { latest: number; version: number; against: number }) {
  const navigate = useNavigate({ from: '/$orgName/$repoName/shapes/$shapeName' });
  const choose = (chosen: { version?: number; against?: number }) =>
    void navigate({
      search: (before) => ({ ...before, version, against, ...chosen }),
      replace: true,
      resetScroll: false,
    });
  return (
    <div className="version-choice">
      <Versions
        label="From version"
        latest={latest}
        value={against}
        onChoose={(chosen) => choose({ against: chosen })}
      />
      <Versions label="to version" latest={latest} value={version} onChoose={(chosen) => choose({ version: chosen })} />
    </div>
  );
}

interface VersionsProps {
  readonly label: string;
  readonly latest: number;
  readonly value: number;
  readonly onChoose: (version: number) => void;
}

function Versions({ label, latest, value, onChoose }: VersionsProps) {
  const id = useId();
  const versions = Array.from({ length: latest }, (_, index) => latest - index);
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => onChoose(Number(event.target.value))}>
        {versions.map((version) => (
          <option key={version} value={version}>
            {version}
          </option>
        ))}
      </select>
    </>
  );
}
