import { unpinWref } from '@cairn/model/wref';
import type { ReferenceItem } from '@cairn/sdk';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toRecord } from '../../app/links.ts';
import { useLive } from '../../app/live.tsx';
import type { Sight } from '../../app/sight.ts';
import { PagedList } from '../../ui/page.tsx';
import { fieldText } from '../../ui/path-text.ts';
import { CodeText, Section } from '../../ui/text.tsx';
import { type Direction, groupByRole, references } from './record.ts';
import { RecordLink } from './record-link.tsx';

interface RecordReferencesProps {
  readonly sight: Sight;
  readonly name: string;
  readonly wref: string;
  readonly version: number | undefined;
  /** Durable IDs. A retracted record refers to nothing. */
  readonly retracted: ReadonlySet<string>;
}

export const RecordReferences = (props: RecordReferencesProps) => (
  <Section id="record-references" title="References">
    <div className="directions">
      <References {...props} direction="out" />
      <References {...props} direction="in" />
    </div>
  </Section>
);

function referenceTitles(direction: Direction, version: number | undefined) {
  if (direction === 'out') return { title: 'Refers to', none: 'This record refers to nothing.' };
  if (version === undefined) return { title: 'Referenced by', none: 'Nothing refers to this record.' };
  return { title: `References to version ${version}`, none: `Nothing refers to version ${version}.` };
}

function References(props: RecordReferencesProps & { readonly direction: Direction }) {
  const { sight, name, wref, version, retracted, direction } = props;
  const query = useInfiniteQuery(references(sight, wref, direction));
  const { title, none } = referenceTitles(direction, version);
  return (
    <div className="direction">
      <h3>{title}</h3>
      <PagedList query={query} what="references" none={<p className="quiet">{none}</p>}>
        {(items) =>
          groupByRole(items, direction).map((group) => (
            <div key={group.label}>
              <h4>{group.label}</h4>
              <ReferenceList references={group.references} retracted={retracted} direction={direction} />
            </div>
          ))
        }
      </PagedList>
      {direction === 'in' && version !== undefined && (
        <p className="hint">
          Other versions may have more references.{' '}
          <Link {...toRecord(sight, name)}>View references to all versions</Link>
        </p>
      )}
    </div>
  );
}

interface ReferenceListProps {
  readonly references: readonly ReferenceItem[];
  readonly retracted: ReadonlySet<string>;
  readonly direction: Direction;
}

function ReferenceList({ references: listed, retracted, direction }: ReferenceListProps) {
  const { changed } = useLive();
  return (
    <ul className="references">
      {listed.map(({ wref, path, durableId, pinnedVersion }) => (
        <li key={`${durableId} ${path}`} className={changed.has(unpinWref(wref)) ? 'changed' : undefined}>
          <RecordLink wref={direction === 'in' ? unpinWref(wref) : wref} />{' '}
          {retracted.has(unpinWref(durableId)) && (
            <>
              <span className="label">retracted</span>{' '}
            </>
          )}
          <span className="quiet">
            {path !== '' && <CodeText>{fieldText(path)}</CodeText>}
            {path !== '' && direction === 'in' && ', '}
            {direction === 'in' && `to version ${pinnedVersion} of this record`}
          </span>
        </li>
      ))}
    </ul>
  );
}
