import type { ShapeItem } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useParams, useSearch } from '@tanstack/react-router';
import { useAskedAs } from '../../app/asked-as.ts';
import { useLive } from '../../app/live.tsx';
import { isMissing } from '../../app/problem.ts';
import { type Sight, timeOf, useSight } from '../../app/sight.ts';
import { Loaded } from '../../ui/loaded.tsx';
import { Missing } from '../../ui/missing.tsx';
import { LongText, Text } from '../../ui/text.tsx';
import { useTitle } from '../../ui/title.ts';
import { NameNote } from '../record/name-note.tsx';
import { whereabouts } from '../record/record.ts';
import { definitionOf } from './definition.ts';
import { FieldTable } from './field-table.tsx';
import { OwnReferences } from './own-references.tsx';
import { SaidAboutShapes } from './said-about.tsx';
import { shapeNamed, shapeVersion } from './shape.ts';
import { ShapeActions } from './shape-actions.tsx';
import { ShapeCalls } from './shape-calls.tsx';
import { ShapeFacts } from './shape-facts.tsx';
import { VersionChange } from './version-change.tsx';
import { VersionChoice } from './version-choice.tsx';
import { VersionList } from './version-list.tsx';
import '../../ui/css/page.css';
import '../../ui/css/shape.css';

/** One shape: its fields, what refers to it, its versions and how they differ. */
export function Shape() {
  const sight = useSight();
  const { shapeName } = useParams({ from: '/$orgName/$repoName/shapes/$shapeName' });
  return <ShapeNamed key={shapeName} sight={sight} shapeName={shapeName} askedAs={useAskedAs()} />;
}

interface ShapeNamedProps {
  readonly sight: Sight;
  readonly shapeName: string;
  /** The name that it was asked for by, where it has another at the sequence that is looked at. */
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
            <section aria-labelledby="versions">
              <h2 id="versions">Versions</h2>
              <VersionList sight={sight} name={shapeName} />
              {shape.version > 1 && (
                <ComparedVersions sight={sight} shape={shape} version={asked ?? shape.version} against={against} />
              )}
            </section>
          </>
        )}
      </Loaded>
      <ShapeCalls sight={sight} name={shapeName} />
    </>
  );
}

function NoShape({ sight, name }: { sight: Sight; name: string }) {
  const { orgName, repoName, at } = sight;
  return (
    <Missing title="There is no such shape">
      <p>
        No shape is called <Text>{name}</Text> in {orgName}/{repoName}
        {at !== undefined && ` at sequence ${at.toLocaleString('en')}`}, or you may not see it.
      </p>
      <p>
        <Link to="/$orgName/$repoName/shapes" params={{ orgName, repoName }} search={timeOf(sight)}>
          See all shapes
        </Link>
      </p>
    </Missing>
  );
}

/** The address has the name of now; at another sequence it keeps the one that was asked for. */
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

/** The fields of a version; those of the current one are known already. */
function VersionShown({ sight, shape, version }: VersionProps) {
  const isCurrent = version === shape.version;
  const older = useQuery({ ...shapeVersion(sight, { name: shape.name, version }), enabled: !isCurrent });
  const shownItem = isCurrent ? shape : older.data;
  return (
    <section aria-labelledby="fields">
      {shownItem !== undefined && <Description data={shownItem.data} />}
      <h2 id="fields">Fields{!isCurrent && ` of version ${version}`}</h2>
      {!isCurrent && (
        <p className="record-note">
          This is version {version}, not the newest.{' '}
          <Link
            to="/$orgName/$repoName/shapes/$shapeName"
            params={{ orgName: sight.orgName, repoName: sight.repoName, shapeName: shape.name }}
            search={timeOf(sight)}
            resetScroll={false}
          >
            See version {shape.version}, the newest{sight.at !== undefined && ' at this sequence'}
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
      <h3 id="difference">Difference between two versions</h3>
      <VersionChoice latest={shape.version} version={version} against={other} />
      <VersionChange sight={sight} name={shape.name} version={version} against={other} />
    </section>
  );
}
