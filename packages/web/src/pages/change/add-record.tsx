import { BUILT_IN_SHAPES } from '@cairn/protocol/built-in-shape';
import { COLLECTION_TYPES } from '@cairn/protocol/record-kind';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useDraft } from '../../app/draft.ts';
import { PendingPage } from '../../app/lazy-page.tsx';
import { useNotice } from '../../app/notice.tsx';
import { type Sight, useSight } from '../../app/sight.ts';
import { type Added, type Change, isNamed, unusedToken } from '../../data/change.ts';
import { emptyOf, filledIn, formOf } from '../../data/form-field.ts';
import { description } from '../../data/queries.ts';
import { fieldsIn, shapeOfRecord } from '../../data/record.ts';
import { saidAbout } from '../../data/said-about.ts';
import type { SaidAbout } from '../../data/said-about-tally.ts';
import { ChoiceField, Field } from '../../parts/form/field.tsx';
import { NameField } from '../../parts/form/name-field.tsx';
import type { Problems } from '../../parts/form/problems.ts';
import { RecordBox } from '../../parts/form/record-box.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { useTitle } from '../../parts/title.ts';
import { RecordForm } from './record-form.tsx';
import { useStage } from './use-stage.ts';
import { useUnsaved } from './use-unsaved.ts';
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
  const { kind = 'thing', shape } = useSearch({ from: '/$orgName/$repoName/new' });
  const navigate = useNavigate({ from: '/$orgName/$repoName/new' });
  const described = useQuery(description(sight));
  const said = useQuery(saidAbout(sight));
  // What is offered first must not change under who has begun to write.
  if (shape === undefined && said.isLoading) return <PendingPage />;
  return (
    <Loaded query={described} what="shapes" isPart>
      {({ shapes }) => {
        const names =
          kind === 'collection'
            ? COLLECTION_TYPES.map(shapeOfType)
            : shapes.map(({ name }) => name).filter((name) => !Object.hasOwn(BUILT_IN_SHAPES, name));
        const chosen =
          shape !== undefined && names.includes(shape) ? shape : likelyShape(names, kind, said.data?.pairs);
        return (
          <>
            <div className="action-form add-choices">
              <ChoiceField<AddedKind>
                label="What to add"
                value={kind}
                options={KINDS}
                onChange={(next) =>
                  void navigate({ search: ({ about }) => ({ kind: next, ...(about !== undefined && { about }) }) })
                }
              />
              {chosen !== undefined && (
                <ChoiceField
                  label={kind === 'collection' ? 'Type' : 'Shape'}
                  hint={hintOf(sight, kind, chosen)}
                  value={chosen}
                  options={names.map((value) => ({ value }))}
                  onChange={(next) => void navigate({ search: (now) => ({ ...now, shape: next }) })}
                />
              )}
            </div>
            {chosen === undefined ? (
              <NoShape sight={sight} />
            ) : (
              <OfShape key={`${kind} ${chosen}`} {...{ sight, kind }} shapeName={chosen} />
            )}
          </>
        );
      }}
    </Loaded>
  );
}

/** What is said has a shape that things hardly have, and the other way round. */
function likelyShape(names: readonly string[], kind: AddedKind, pairs: readonly SaidAbout[] = []): string | undefined {
  if (kind === 'collection') return names[0];
  const isSaid = (name: string) => pairs.some(({ from }) => from === name);
  return names.find((name) => isSaid(name) === (kind === 'assertion')) ?? names[0];
}

const shapeOfType = (type: string): string => `${type.slice(0, 1).toUpperCase()}${type.slice(1)}`;

function hintOf({ orgName, repoName }: Sight, kind: AddedKind, shape: string) {
  if (kind === 'collection') return BUILT_IN_SHAPES[shape]?.description;
  if (kind === 'thing') return 'It says which fields the record has.';
  return (
    <>
      What is said has a shape too, such as an Opinion with its reasons. If none fits,{' '}
      <Link to="/$orgName/$repoName/new-shape" params={{ orgName, repoName }}>
        make one
      </Link>{' '}
      first.
    </>
  );
}

function NoShape({ sight: { orgName, repoName } }: { sight: Sight }) {
  return (
    <p>
      There is no shape yet, which says what a record has in it.{' '}
      <Link to="/$orgName/$repoName/new-shape" params={{ orgName, repoName }}>
        Make the first one
      </Link>
      .
    </p>
  );
}

interface OfShapeProps {
  readonly sight: Sight;
  readonly kind: AddedKind;
  readonly shapeName: string;
}

function OfShape(props: OfShapeProps) {
  // A repository has these shapes itself only once it has a collection.
  if (props.kind === 'collection') return <Form {...props} fields={BUILT_IN_SHAPES[props.shapeName]?.fields} />;
  return <OfOwnShape {...props} />;
}

function OfOwnShape({ sight, kind, shapeName }: OfShapeProps) {
  const shape = useQuery(shapeOfRecord(sight, shapeName));
  return (
    <Loaded query={shape} what="the shape" isPart>
      {(found) => <Form {...{ sight, kind, shapeName }} fields={fieldsIn(found)} />}
    </Loaded>
  );
}

function Form({ sight, kind, shapeName, fields }: OfShapeProps & { readonly fields: unknown }) {
  const { about: aboutAtFirst = '', name: nameOfDraft } = useSearch({ from: '/$orgName/$repoName/new' });
  const { changes } = useDraft(sight);
  const kept = keptIn(changes, nameOfDraft);
  const navigate = useNavigate();
  const stage = useStage(sight, kept);
  const say = useNotice();
  const nameBox = useRef<HTMLDivElement>(null);
  const [name, setName] = useState(kept === undefined || !isNamed(kept) ? '' : kept.name.slice(shapeName.length + 1));
  const [about, setAbout] = useState(kept?.about ?? aboutAtFirst);
  const [atFirst, setAtFirst] = useState<unknown>(() => kept?.data ?? emptyOf(formOf(fields)));
  const [data, setData] = useState(atFirst);
  const [round, setRound] = useState(0);
  useUnsaved(data !== atFirst);
  const change = (): Added => ({
    step: 'add',
    kind,
    name: name === '' && kind === 'collection' ? '' : `${shapeName}/${name || unusedToken(changes)}`,
    data: filledIn(data, formOf(fields)),
    ...(kind === 'assertion' && { about }),
    ...(kind === 'collection' && { collection: COLLECTION_TYPES.find((type) => shapeOfType(type) === shapeName) }),
  });
  const review = () =>
    stage.mutate(change(), {
      onSuccess: () => void navigate({ to: '/$orgName/$repoName/draft', params: sight, ignoreBlocker: true }),
    });
  const another = () =>
    stage.mutate(change(), {
      onSuccess: (_done, { name: keptName }) => {
        setName('');
        const empty = emptyOf(formOf(fields));
        setAtFirst(empty);
        setData(empty);
        setRound(round + 1);
        say({
          text: `${isNamed({ name: keptName }) ? keptName : 'It'} is kept with your changes, and not committed yet.`,
        });
      },
    });
  // The next one begins with its name.
  useEffect(() => {
    if (round > 0) nameBox.current?.querySelector('input')?.focus();
  }, [round]);
  return (
    <RecordForm
      key={round}
      label="The record"
      fields={fields}
      data={data}
      onChange={setData}
      onSubmit={review}
      isPending={stage.isPending}
      error={stage.error}
      places={kind === 'assertion' ? ['/name', '/about'] : ['/name']}
      before={(problems) => (
        <div ref={nameBox} className="fields-group">
          <Names {...{ sight, kind, shapeName, name, setName, about, setAbout, problems }} />
        </div>
      )}
      beside={
        <button type="button" className="secondary" disabled={stage.isPending} onClick={another}>
          Keep it, and add another
        </button>
      }
    />
  );
}

interface NamesProps extends OfShapeProps {
  readonly name: string;
  readonly setName: (name: string) => void;
  readonly about: string;
  readonly setAbout: (about: string) => void;
  readonly problems: Problems;
}

function Names({ sight, kind, shapeName, name, setName, about, setAbout, problems }: NamesProps) {
  return (
    <>
      {kind === 'assertion' && (
        <Field label="About" hint="The record that it is said of." problem={problems.byPath.get('/about')}>
          {(control) => <RecordBox {...control} sight={sight} value={about} onChange={setAbout} />}
        </Field>
      )}
      <NameField
        of="record"
        label="Name"
        hint={`It will be called ${shapeName}/${name || '…'}. Left empty, it gets a name of its own.`}
        value={name}
        onChange={setName}
        problem={problems.byPath.get('/name')}
      />
    </>
  );
}

/** What was to be added under this name, to be changed before it is. */
function keptIn(changes: readonly Change[], name: string | undefined): Added | undefined {
  return changes.find((change) => change.step === 'add' && change.name === name) as Added | undefined;
}
