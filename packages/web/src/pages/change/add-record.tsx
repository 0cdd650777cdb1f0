import { BUILT_IN_SHAPES } from '@cairn/protocol/built-in-shape';
import { COLLECTION_TYPES } from '@cairn/protocol/vocabulary';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useDraft } from '../../app/draft.ts';
import { PendingPage } from '../../app/lazy-page.tsx';
import { type Sight, useSight } from '../../app/sight.ts';
import { addedShapes, draftedFields } from '../../data/drafted-shape.ts';
import { description } from '../../data/queries.ts';
import { fieldsIn, shapeOfRecord } from '../../data/record.ts';
import { saidAbout } from '../../data/said-about.ts';
import type { SaidAbout } from '../../data/said-about-tally.ts';
import { ChoiceField } from '../../parts/form/field.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { RecordLink } from '../../parts/record-link.tsx';
import { Text } from '../../parts/text.tsx';
import { useTitle } from '../../parts/title.ts';
import { AddForm, type OfShapeProps, shapeOfType } from './add-form.tsx';
import { Writable } from './writable.tsx';
import '../../look/change.css';

const KINDS = [
  { value: 'thing', label: 'A thing' },
  { value: 'assertion', label: 'Something said about a record' },
  { value: 'collection', label: 'A collection of records' },
] as const;
type AddedKind = (typeof KINDS)[number]['value'];

/** A record that is not there yet. */
export function AddRecord() {
  const sight = useSight();
  useTitle('Add a record', `${sight.orgName}/${sight.repoName}`);
  return (
    <Writable sight={sight} title="Add a record">
      <Choices sight={sight} />
    </Writable>
  );
}

/** Of which kind and shape; both are in the address. */
function Choices({ sight }: { sight: Sight }) {
  const { kind = 'thing', shape, about } = useSearch({ from: '/$orgName/$repoName/new' });
  const navigate = useNavigate({ from: '/$orgName/$repoName/new' });
  const described = useQuery(description(sight));
  const said = useQuery(saidAbout(sight));
  const { changes } = useDraft(sight);
  // What is offered first must not change under who has begun to write.
  if (shape === undefined && said.isLoading) return <PendingPage />;
  return (
    <Loaded query={described} what="shapes" isPart>
      {({ shapes }) => {
        const drafted = kind === 'collection' ? [] : addedShapes(changes);
        const names =
          kind === 'collection'
            ? COLLECTION_TYPES.map(shapeOfType)
            : distinct([...drafted, ...shapes.map(({ name }) => name)]).filter(isOwn);
        const isMissing = shape !== undefined && !names.includes(shape);
        const chosen = isMissing ? undefined : (shape ?? likelyShape(names, kind, said.data?.pairs));
        return (
          <>
            <div className="action-form add-choices">
              <ChoiceField<AddedKind>
                label="What to add"
                value={kind}
                options={KINDS}
                onChange={(next) =>
                  void navigate({ search: ({ shape: _shape, name: _name, ...kept }) => ({ ...kept, kind: next }) })
                }
              />
              {names.length > 0 && (
                <ChoiceField
                  label={kind === 'collection' ? 'Type' : 'Shape'}
                  hint={hintOf(kind, chosen)}
                  value={chosen ?? ''}
                  options={[...(chosen === undefined ? [UNCHOSEN] : []), ...optionsOf(names, drafted)]}
                  onChange={(next) => void navigate({ search: (now) => ({ ...now, shape: next }) })}
                />
              )}
            </div>
            {kind === 'assertion' && about !== undefined && chosen === undefined && (
              <p>
                About <RecordLink wref={about} />
              </p>
            )}
            {isMissing && <MissingShape sight={sight} name={shape} />}
            {names.length === 0 && <NoShape kind={kind} />}
            {chosen !== undefined && <OfShape key={`${kind} ${chosen}`} {...{ sight, kind }} shapeName={chosen} />}
          </>
        );
      }}
    </Loaded>
  );
}

const UNCHOSEN = { value: '', label: 'Choose one' } as const;

const optionsOf = (names: readonly string[], drafted: readonly string[]) =>
  names.map((value) => (drafted.includes(value) ? { value, label: `${value} (in this draft)` } : { value }));

/** What is said has a shape that things hardly have, and the other way round: until something is said, none is likely. */
function likelyShape(names: readonly string[], kind: AddedKind, pairs: readonly SaidAbout[] = []): string | undefined {
  if (kind === 'collection') return names[0];
  const isSaid = (name: string) => pairs.some(({ from }) => from === name);
  return kind === 'assertion' ? names.find(isSaid) : (names.find((name) => !isSaid(name)) ?? names[0]);
}

const distinct = (names: readonly string[]) => [...new Set(names)];
const isOwn = (name: string): boolean => !Object.hasOwn(BUILT_IN_SHAPES, name);

function hintOf(kind: AddedKind, shape: string | undefined) {
  if (kind === 'collection') return BUILT_IN_SHAPES[shape ?? '']?.description;
  return (
    <>
      {kind === 'thing'
        ? 'It says which fields the record has.'
        : 'An assertion is a claim about a record, kept with who made it. It has a shape of its own, such as an Opinion with its reasons.'}{' '}
      If none fits, <MakeShapeLink kind={kind}>make one</MakeShapeLink> first.
    </>
  );
}

/** The one in the address. */
function MissingShape({ sight: { orgName, repoName }, name }: { sight: Sight; name: string }) {
  return (
    <p role="alert">
      No record is added of{' '}
      <Link to="/$orgName/$repoName/shapes/$shapeName" params={{ orgName, repoName, shapeName: name }}>
        <Text>{name}</Text>
      </Link>
      : the shape is retracted, or not there. Bring it back, or choose another one.
    </p>
  );
}

function NoShape({ kind }: { kind: AddedKind }) {
  return (
    <p>
      There is no shape yet, which says what a record has in it.{' '}
      <MakeShapeLink kind={kind}>Make the first one</MakeShapeLink>.
    </p>
  );
}

/** It leads back here, where a record of it is added. */
function MakeShapeLink({ kind, children }: { kind: AddedKind; children: string }) {
  const { about, from } = useSearch({ from: '/$orgName/$repoName/new' });
  const search = { kind, ...(about !== undefined && { about }), ...(from !== undefined && { from }) };
  return (
    <Link from="/$orgName/$repoName/new" to="/$orgName/$repoName/new-shape" search={search}>
      {children}
    </Link>
  );
}

function OfShape(props: OfShapeProps) {
  const { changes } = useDraft(props.sight);
  // A repository has these shapes itself only once it has a collection.
  if (props.kind === 'collection') return <AddForm {...props} fields={BUILT_IN_SHAPES[props.shapeName]?.fields} />;
  const drafted = draftedFields(changes, props.shapeName);
  return drafted === undefined ? <OfOwnShape {...props} /> : <AddForm {...props} fields={drafted} />;
}

function OfOwnShape({ sight, kind, shapeName }: OfShapeProps) {
  const shape = useQuery(shapeOfRecord(sight, shapeName));
  return (
    <Loaded query={shape} what="the shape" isPart>
      {(found) => <AddForm {...{ sight, kind, shapeName }} fields={fieldsIn(found)} />}
    </Loaded>
  );
}
