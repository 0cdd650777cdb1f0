import { COLLECTION_TYPE_OF, COLLECTIONS } from '@cairn/model/collection';
import { BUILT_IN_SHAPES, COLLECTION_TYPES } from '@cairn/protocol/vocabulary';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { PendingPage } from '../../app/lazy-page.tsx';
import { toShape } from '../../app/links.ts';
import { useNotice } from '../../app/notice.tsx';
import { description } from '../../app/queries.ts';
import type { NewSearch } from '../../app/search.ts';
import { type Sight, useSight } from '../../app/sight.ts';
import { SecondaryButton } from '../../ui/button.tsx';
import { ChoiceField, Field, NameField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/page.tsx';
import type { Problems } from '../../ui/problems.ts';
import { Text } from '../../ui/text.tsx';
import { fieldsIn } from '../record/record.ts';
import { RecordLink } from '../record/record-link.tsx';
import { type SaidAbout, saidAbout } from '../record/said-about.ts';
import { RecordBox } from '../records/record-box.tsx';
import { addedShapes, draftedFields } from '../shape/declaration.ts';
import { shapeNamed } from '../shape/shape.ts';
import { HereAgain } from './begun-note.tsx';
import { type Added, type Change, isNamed, unusedPlaceholder } from './change.ts';
import { emptyOf, filledIn, formOf } from './form-field.ts';
import { useDraft } from './kept-draft.ts';
import { type FilledData, RecordForm } from './record-form.tsx';
import { useFilled, useReview } from './use-stage.ts';
import { Writable } from './writable.tsx';

const KINDS = [
  { value: 'thing', label: 'Thing' },
  { value: 'assertion', label: 'Assertion about a record' },
  { value: 'collection', label: 'Collection of records' },
] as const;
type AddedKind = (typeof KINDS)[number]['value'];

export function AddRecord() {
  const sight = useSight();
  return (
    <Writable sight={sight} title="Add a record">
      <Choices sight={sight} />
    </Writable>
  );
}

function Choices({ sight }: { sight: Sight }) {
  const { kind = 'thing', shape, about } = useSearch({ from: '/$orgName/$repoName/new' });
  const navigate = useNavigate({ from: '/$orgName/$repoName/new' });
  const described = useQuery(description(sight));
  const said = useQuery(saidAbout(sight));
  const { changes } = useDraft(sight);
  // The default shape must not change once typing has begun.
  if (shape === undefined && said.isLoading) return <PendingPage />;
  return (
    <Loaded query={described} what="shapes" isPart>
      {({ shapes }) => {
        const drafted = kind === 'collection' ? [] : addedShapes(changes);
        const names =
          kind === 'collection'
            ? COLLECTION_TYPES.map((type) => COLLECTIONS[type].shapeName)
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

const UNCHOSEN = { value: '', label: 'Choose a shape' } as const;

const optionsOf = (names: readonly string[], drafted: readonly string[]) =>
  names.map((value) => (drafted.includes(value) ? { value, label: `${value} (in your draft)` } : { value }));

/** Shapes of earlier assertions suit assertions only. Before the first assertion, no shape is likely for a new one. */
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
        ? 'The shape defines the fields of the record.'
        : 'An assertion is a claim about a record. It has its own shape, such as Opinion.'}{' '}
      If no shape fits, <MakeShapeLink kind={kind}>create one</MakeShapeLink> first.
    </>
  );
}

const MissingShape = ({ sight, name }: { sight: Sight; name: string }) => (
  <p role="alert">
    The shape{' '}
    <Link {...toShape(sight, name)}>
      <Text>{name}</Text>
    </Link>{' '}
    cannot get new records: it is retracted or missing. Restore it, or choose another shape.
  </p>
);

const NoShape = ({ kind }: { kind: AddedKind }) => (
  <p>
    There are no shapes yet. A shape defines the fields of its records.{' '}
    <MakeShapeLink kind={kind}>Create the first shape</MakeShapeLink>.
  </p>
);

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
  // A repository has these shapes only after its first collection.
  if (props.kind === 'collection') return <AddForm {...props} fields={BUILT_IN_SHAPES[props.shapeName]?.fields} />;
  const drafted = draftedFields(changes, props.shapeName);
  return drafted === undefined ? <OfOwnShape {...props} /> : <AddForm {...props} fields={drafted} />;
}

function OfOwnShape({ sight, kind, shapeName }: OfShapeProps) {
  const shape = useQuery(shapeNamed(sight, shapeName));
  return (
    <Loaded query={shape} what="the shape" isPart>
      {(found) => <AddForm {...{ sight, kind, shapeName }} fields={fieldsIn(found)} />}
    </Loaded>
  );
}

interface OfShapeProps {
  readonly sight: Sight;
  readonly kind: NonNullable<NewSearch['kind']>;
  readonly shapeName: string;
}

interface Filled extends FilledData {
  readonly name: string;
  readonly about: string;
}

function AddForm({ sight, kind, shapeName, fields }: OfShapeProps & { fields: unknown }) {
  const {
    about: aboutAtFirst = '',
    from: cameFrom,
    name: nameOfDraft,
  } = useSearch({ from: '/$orgName/$repoName/new' });
  const { changes } = useDraft(sight);
  const kept = keptIn(changes, nameOfDraft);
  const navigate = useNavigate({ from: '/$orgName/$repoName/new' });
  const { stage, review } = useReview(sight, kept);
  const say = useNotice();
  const { filled, fill, isBack, first, begin, round, box, done } = useFilled<Filled>(
    sight,
    `new ${kind} ${shapeName} ${nameOfDraft ?? ''} ${aboutAtFirst}`,
    () => ({
      name: kept === undefined || !isNamed(kept) ? '' : ownNameOf(kept),
      about: kept?.about ?? aboutAtFirst,
      data: kept?.data ?? emptyOf(formOf(fields)),
    }),
  );
  const { name, about, data } = filled;
  const change = (): Added => ({
    step: 'add',
    kind,
    name: `${shapeName}/${name || unusedPlaceholder(changes)}`,
    data: filledIn(data, formOf(fields)),
    ...(kind === 'assertion' && { about, from: kept?.from ?? cameFrom }),
    ...(kind === 'collection' && { collection: COLLECTION_TYPE_OF.get(shapeName) }),
  });
  const another = (button: HTMLButtonElement) => {
    if (button.form?.reportValidity() === false) return;
    stage.mutate(change(), {
      onSuccess: (_done, { name: keptName }) => {
        void navigate({ to: '.', search: ({ name: _kept, ...others }) => others, replace: true });
        begin({ name: '', about, data: emptyOf(formOf(fields)) });
        say({
          text: (
            <>
              <Text>{isNamed({ name: keptName }) ? keptName : 'The record'}</Text> was added to your draft. It is not
              committed yet.
            </>
          ),
        });
      },
    });
  };
  return (
    <>
      {isBack && <HereAgain onAnew={() => begin(first)} />}
      <RecordForm
        key={round}
        label="Record"
        fields={fields}
        filled={filled}
        fill={fill}
        onSubmit={() => review(change(), done)}
        isPending={stage.isPending}
        error={stage.error}
        places={kind === 'assertion' ? ['/name', '/about'] : ['/name']}
        before={(problems) => (
          <div ref={box} className="fields-group">
            <Names {...{ sight, kind, shapeName, name, about, fill, problems }} />
          </div>
        )}
        beside={(isBroken) => (
          <SecondaryButton
            disabled={isBroken || stage.isPending}
            onClick={({ currentTarget }) => another(currentTarget)}
          >
            Save and add another
          </SecondaryButton>
        )}
      />
    </>
  );
}

interface NamesProps extends OfShapeProps, Pick<Filled, 'name' | 'about'> {
  readonly fill: (part: Partial<Filled>) => void;
  readonly problems: Problems;
}

function Names({ sight, kind, shapeName, name, about, fill, problems }: NamesProps) {
  const refused = problems.byPath.get('/about');
  // The server's message addresses programmers.
  const aboutProblem = refused && about === '' ? 'Choose the record that the assertion is about.' : refused;
  return (
    <>
      {kind === 'assertion' && (
        <Field label="About" hint="The record that the assertion is about." problem={aboutProblem}>
          {(control) => (
            <RecordBox
              {...control}
              sight={sight}
              value={about}
              onChange={(next) => fill({ about: next.trimStart() })}
            />
          )}
        </Field>
      )}
      <NameField
        of="record"
        isOptional
        label="Name"
        hint={
          <>
            {name.trim() === '' ? 'The full name starts with ' : 'The full name will be '}
            <Text>{`${shapeName}/${name.trim()}`}</Text>. Leave the field empty to generate a name.
          </>
        }
        value={name}
        onChange={(next) => fill({ name: next })}
        problem={problems.byPath.get('/name')}
      />
    </>
  );
}

/** Its shape may have been renamed. */
const ownNameOf = ({ name }: Added): string => name.slice(name.indexOf('/') + 1);

const keptIn = (changes: readonly Change[], name: string | undefined): Added | undefined =>
  changes.find((change) => change.step === 'add' && change.name === name) as Added | undefined;
