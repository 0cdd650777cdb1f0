import { definitionOf } from '@cairn/model/declaration';
import type { ShapeItem } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { ReadCall } from '../../app/calls.ts';
import { toRecord, toRecords, toShape, toShapes } from '../../app/links.ts';
import { useLive } from '../../app/live.tsx';
import { isMissing } from '../../app/problem.ts';
import { description } from '../../app/queries.ts';
import { atOf, type Sight, useAskedAs, useSight, whenText } from '../../app/sight.ts';
import { recordsText } from '../../ui/amount.ts';
import { Author, Moment } from '../../ui/byline.tsx';
import { Loaded, Missing, useTitle } from '../../ui/page.tsx';
import { LongText, Section, Text } from '../../ui/text.tsx';
import { Calls } from '../commit/calls.tsx';
import { whereabouts } from '../record/record.ts';
import { NameNote } from '../record/record-link.tsx';
import { saidAbout, saidOptions } from '../record/said-about.ts';
import { FieldTable } from './field-table.tsx';
import { aboutReferences, shapeReferences } from './fields.ts';
import { shapeNamed, shapeVersion, useRecordCount } from './shape.ts';
import { ShapeActions } from './shape-actions.tsx';
import { ShapeDiagram } from './shape-diagram.tsx';
import { ReferenceList, SaidAboutShapes } from './shape-link.tsx';
import { VersionChange } from './version-change.tsx';
import { VersionChoice, VersionList } from './version-list.tsx';

export function Shape() {
  const sight = useSight();
  const { shapeName } = useParams({ from: '/$orgName/$repoName/shapes/$shapeName' });
  return <ShapeNamed key={shapeName} sight={sight} shapeName={shapeName} askedAs={useAskedAs()} />;
}

interface ShapeNamedProps {
  readonly sight: Sight;
  readonly shapeName: string;
  readonly askedAs?: string | undefined;
}

function ShapeNamed({ sight, shapeName, askedAs }: ShapeNamedProps) {
  const { version: asked, against } = useSearch({ from: '/$orgName/$repoName/shapes/$shapeName' });
  useTitle(shapeName, `${sight.orgName}/${sight.repoName}`);
  const found = useQuery(shapeNamed(sight, shapeName));
  const { changed } = useLive();
  const isLookedFor = isMissing(found.error);
  const known = useQuery({ ...whereabouts(sight, shapeName), enabled: isLookedFor });
  const renamed = isLookedFor && known.data?.kind === 'renamed' ? known.data.name : shapeName;
  if (renamed !== shapeName) return <RenamedShape sight={sight} shapeName={renamed} askedAs={shapeName} />;
  return (
    <>
      <Loaded query={found} what="the shape" missing={<NoShape sight={sight} name={shapeName} />}>
        {(shape) => (
          <>
            <h1 className={changed.has(shapeName) ? 'changed' : undefined}>
              <Text>{shapeName}</Text>
              {!shape.active && <span className="label">retracted</span>}
            </h1>
            <ShapeActions sight={sight} shape={shape} />
            <NameNote sight={sight} durableId={shape.durableId} name={shape.name} askedAs={askedAs} />
            <ShapeFacts sight={sight} shape={shape} />
            <SaidAboutShapes sight={sight} name={shapeName} />
            <VersionShown sight={sight} shape={shape} version={asked ?? shape.version} />
            <OwnReferences sight={sight} name={shapeName} />
            <Section id="versions" title="Versions">
              <VersionList sight={sight} name={shapeName} />
              {shape.version > 1 && (
                <ComparedVersions sight={sight} shape={shape} version={asked ?? shape.version} against={against} />
              )}
            </Section>
          </>
        )}
      </Loaded>
      <ShapeCalls sight={sight} name={shapeName} />
    </>
  );
}

function NoShape({ sight, name }: { sight: Sight; name: string }) {
  const { orgName, repoName } = sight;
  return (
    <Missing title="Shape not found">
      <p>
        The shape <Text>{name}</Text> does not exist in {orgName}/{repoName}
        {whenText(sight)}, or you do not have access.
      </p>
      <p>
        <Link {...toShapes({ orgName, repoName })}>View all shapes</Link>
      </p>
    </Missing>
  );
}

function RenamedShape({ sight, shapeName, askedAs }: ShapeNamedProps & { askedAs: string }) {
  const { orgName, repoName, at } = sight;
  if (at !== undefined) return <ShapeNamed key={shapeName} sight={sight} shapeName={shapeName} askedAs={askedAs} />;
  return (
    <Navigate
      to="/$orgName/$repoName/shapes/$shapeName"
      params={{ orgName, repoName, shapeName }}
      search={true}
      state={{ askedAs }}
      replace
      resetScroll={false}
    />
  );
}

interface VersionProps {
  readonly sight: Sight;
  readonly shape: ShapeItem;
  readonly version: number;
}

function VersionShown({ sight, shape, version }: VersionProps) {
  const isCurrent = version === shape.version;
  const older = useQuery({ ...shapeVersion(sight, shape.name, version), enabled: !isCurrent });
  const shownItem = isCurrent ? shape : older.data;
  return (
    <section aria-labelledby="fields">
      {shownItem !== undefined && <Description data={shownItem.data} />}
      <h2 id="fields">Fields{!isCurrent && ` of version ${version}`}</h2>
      {!isCurrent && (
        <p className="record-note">
          This is version {version}, not the newest.{' '}
          <Link {...toShape(sight, shape.name)} resetScroll={false}>
            View version {shape.version}, the newest{sight.at !== undefined && ' at this sequence'}
          </Link>
        </p>
      )}
      {shownItem === undefined ? (
        <Loaded query={older} what="the version" isPart>
          {() => null}
        </Loaded>
      ) : (
        <>
          <FieldTable sight={sight} data={shownItem.data} indexes={isCurrent ? shape.indexes : []} />
          <details className="raw">
            <summary>As JSON</summary>
            <div className="json">
              <LongText>{JSON.stringify(shownItem.data, null, 2)}</LongText>
            </div>
          </details>
        </>
      )}
    </section>
  );
}

function Description({ data }: { data: unknown }) {
  const { description } = definitionOf(data);
  return description === undefined ? null : <LongText>{description}</LongText>;
}

function ComparedVersions({ sight, shape, version, against }: VersionProps & { against: number | undefined }) {
  const other = against ?? (version > 1 ? version - 1 : shape.version);
  return (
    <section aria-labelledby="difference">
      <h3 id="difference">Compare versions</h3>
      <VersionChoice latest={shape.version} version={version} against={other} />
      <VersionChange sight={sight} name={shape.name} version={version} against={other} />
    </section>
  );
}

function OwnReferences({ sight, name }: { sight: Sight; name: string }) {
  const described = useQuery(description(sight));
  const sayings = useQuery(saidAbout(sight));
  const ownSayings = useQuery(saidAbout(sight, name));
  const [data, said, saidByIt] = [described.data, sayings.data, ownSayings.data];
  const references = useMemo(() => {
    const others = (said?.pairs ?? []).filter(({ from }) => from !== name);
    const all = [...shapeReferences(data?.shapes ?? []), ...aboutReferences([...(saidByIt?.pairs ?? []), ...others])];
    return all.filter(({ from, to }) => from === name || to === name);
  }, [data, said, saidByIt, name]);
  // Nothing shows while loading: most shapes have no references.
  const missing = [described, sayings, ownSayings].find(
    (one) => one.data === undefined && one.fetchStatus !== 'fetching',
  );
  if (references.length === 0 && missing === undefined) return null;
  return (
    <Section id="references" title="References">
      {references.length > 0 && (
        <>
          <ShapeDiagram sight={sight} references={references} />
          <ReferenceList sight={sight} references={references} />
        </>
      )}
      {missing !== undefined && (
        <Loaded<unknown> query={missing} what="references" isPart>
          {() => null}
        </Loaded>
      )}
    </Section>
  );
}

function ShapeCalls({ sight, name }: { sight: Sight; name: string }) {
  const { data: own } = useQuery({ ...saidAbout(sight, name), enabled: false });
  const { data: all } = useQuery({ ...saidAbout(sight), enabled: false });
  const isSaid = own !== undefined && own.pairs.length > 0;
  const hasSaid = all?.pairs.some(({ to }) => to === name) === true;
  return (
    <Calls
      shown={[
        {
          what: 'The shape, with its index status',
          procedure: 'shape.get',
          given: [name],
          names: ['name'],
          command: 'shape view',
          options: { includeRetracted: true, ...atOf(sight) },
        },
        versionsOf(sight, name),
        ...(isSaid ? [assertionsOf(sight, 'Its latest assertions and their subjects', name)] : []),
        ...(hasSaid
          ? [assertionsOf(sight, 'The latest assertions of all shapes; filter aboutWref for those about its records')]
          : []),
      ]}
    />
  );
}

/** The CLI lists versions of a shape as of now only. */
function versionsOf(sight: Sight, name: string): ReadCall {
  const of = { what: 'Its versions', given: [name] };
  if (sight.at === undefined) return { ...of, procedure: 'shape.history', names: ['name'] };
  return { ...of, procedure: 'thing.history', names: ['wref'], options: atOf(sight) };
}

const assertionsOf = (sight: Sight, what: string, shape?: string): ReadCall => ({
  what,
  procedure: 'thing.head',
  options: saidOptions(sight, shape),
  rest: `/api/repos/${sight.orgName}/${sight.repoName}/head`,
});

function ShapeFacts({ sight, shape }: { sight: Sight; shape: ShapeItem }) {
  const { name, version, createdBy, versionCreatedAt, active, reason } = shape;
  const count = useRecordCount(sight, name);
  return (
    <>
      <p>
        <Link {...toRecords(sight, { shape: name })}>{count === undefined ? 'Records' : recordsText(count)}</Link>
        <span className="quiet">
          {' '}
          · version {version}, written by <Author createdBy={createdBy} /> <Moment at={versionCreatedAt} /> ·{' '}
        </span>
        <Link {...toRecord(sight, name)}>View as record</Link>
      </p>
      {!active && (
        <p>
          This shape is retracted. Its records remain, but no new ones can be added.
          {reason !== undefined && (
            <>
              {' '}
              Reason: <Text>{reason}</Text>
            </>
          )}
        </p>
      )}
    </>
  );
}
