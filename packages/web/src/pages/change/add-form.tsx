// The form of a record that is not there yet.
import { COLLECTION_TYPES } from '@cairn/protocol/vocabulary';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useDraft } from '../../app/draft.ts';
import { useNotice } from '../../app/notice.tsx';
import type { NewSearch } from '../../app/search.ts';
import type { Sight } from '../../app/sight.ts';
import { type Added, type Change, isNamed, unusedToken } from '../../data/change.ts';
import { emptyOf, filledIn, formOf } from '../../data/form-field.ts';
import { Field } from '../../parts/form/field.tsx';
import { NameField } from '../../parts/form/name-field.tsx';
import type { Problems } from '../../parts/form/problems.ts';
import { RecordBox } from '../../parts/form/record-box.tsx';
import { Text } from '../../parts/text.tsx';
import { HereAgain } from './begun-note.tsx';
import { type FilledData, RecordForm } from './record-form.tsx';
import { useFilled } from './use-filled.ts';
import { useStage } from './use-stage.ts';

export interface OfShapeProps {
  readonly sight: Sight;
  readonly kind: NonNullable<NewSearch['kind']>;
  readonly shapeName: string;
}

/** Of a collection, whose shape is called as its type. */
export const shapeOfType = (type: string): string => `${type.slice(0, 1).toUpperCase()}${type.slice(1)}`;

interface AddFormProps extends OfShapeProps {
  /** The field set of the shape. */
  readonly fields: unknown;
}

interface Filled extends FilledData {
  /** Without its shape. */
  readonly name: string;
  readonly about: string;
}

export function AddForm({ sight, kind, shapeName, fields }: AddFormProps) {
  const {
    about: aboutAtFirst = '',
    from: cameFrom,
    name: nameOfDraft,
  } = useSearch({ from: '/$orgName/$repoName/new' });
  const { changes } = useDraft(sight);
  const kept = keptIn(changes, nameOfDraft);
  const navigate = useNavigate({ from: '/$orgName/$repoName/new' });
  const stage = useStage(sight, kept);
  const say = useNotice();
  const { filled, fill, isBack, first, begin, round, box, done } = useFilled<Filled>(
    { sight, form: `new ${kind} ${shapeName} ${nameOfDraft ?? ''} ${aboutAtFirst}` },
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
    name: `${shapeName}/${name || unusedToken(changes)}`,
    data: filledIn(data, formOf(fields)),
    ...(kind === 'assertion' && { about, from: kept?.from ?? cameFrom }),
    ...(kind === 'collection' && { collection: COLLECTION_TYPES.find((type) => shapeOfType(type) === shapeName) }),
  });
  const review = () =>
    stage.mutate(change(), {
      onSuccess: () => {
        done();
        void navigate({ to: '/$orgName/$repoName/draft', params: sight, ignoreBlocker: true });
      },
    });
  const another = (button: HTMLButtonElement) => {
    // As the browser does where the form is sent.
    if (button.form?.reportValidity() === false) return;
    stage.mutate(change(), {
      onSuccess: (_done, { name: keptName }) => {
        // The next is another, also where this one was in the draft before.
        void navigate({ to: '.', search: ({ name: _kept, ...others }) => others, replace: true });
        begin({ name: '', about, data: emptyOf(formOf(fields)) });
        say({
          text: (
            <>
              <Text>{isNamed({ name: keptName }) ? keptName : 'It'}</Text> is kept with your changes, and not committed
              yet.
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
        label="The record"
        fields={fields}
        filled={filled}
        fill={fill}
        onSubmit={review}
        isPending={stage.isPending}
        error={stage.error}
        places={kind === 'assertion' ? ['/name', '/about'] : ['/name']}
        before={(problems) => (
          <div ref={box} className="fields-group">
            <Names {...{ sight, kind, shapeName, name, about, fill, problems }} />
          </div>
        )}
        beside={(isBroken) => (
          <button
            type="button"
            className="secondary"
            disabled={isBroken || stage.isPending}
            onClick={({ currentTarget }) => another(currentTarget)}
          >
            Keep it, and add another
          </button>
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
  // The server speaks to programs.
  const aboutProblem = refused && about === '' ? 'Name the record that it is said of.' : refused;
  return (
    <>
      {kind === 'assertion' && (
        <Field label="About" hint="The record that it is said of." problem={aboutProblem}>
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
            {name.trim() === '' ? 'Its name begins with ' : 'It will be called '}
            <Text>{`${shapeName}/${name.trim()}`}</Text>. Left empty, it gets a name of its own.
          </>
        }
        value={name}
        onChange={(next) => fill({ name: next })}
        problem={problems.byPath.get('/name')}
      />
    </>
  );
}

/** Without its shape, which may be another by now. */
const ownNameOf = ({ name }: Added): string => name.slice(name.indexOf('/') + 1);

/** What was to be added under this name, to be changed before it is. */
function keptIn(changes: readonly Change[], name: string | undefined): Added | undefined {
  return changes.find((change) => change.step === 'add' && change.name === name) as Added | undefined;
}
