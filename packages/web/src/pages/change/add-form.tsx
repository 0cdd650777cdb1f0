// The form of a record that is not there yet.
import { COLLECTION_TYPES } from '@cairn/protocol/record-kind';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
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
import { RecordForm } from './record-form.tsx';
import { useStage } from './use-stage.ts';
import { useUnsaved } from './use-unsaved.ts';

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
  const nameBox = useRef<HTMLDivElement>(null);
  const [name, setName] = useState(kept === undefined || !isNamed(kept) ? '' : ownNameOf(kept));
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
    ...(kind === 'assertion' && { about, from: kept?.from ?? cameFrom }),
    ...(kind === 'collection' && { collection: COLLECTION_TYPES.find((type) => shapeOfType(type) === shapeName) }),
  });
  const review = () =>
    stage.mutate(change(), {
      onSuccess: () => void navigate({ to: '/$orgName/$repoName/draft', params: sight, ignoreBlocker: true }),
    });
  const another = (button: HTMLButtonElement) => {
    // As the browser does where the form is sent.
    if (button.form?.reportValidity() === false) return;
    stage.mutate(change(), {
      onSuccess: (_done, { name: keptName }) => {
        // The next is another, also where this one was in the draft before.
        void navigate({ to: '.', search: ({ name: _kept, ...others }) => others, replace: true });
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
  };
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

/** Without its shape, which may be another by now. */
const ownNameOf = ({ name }: Added): string => name.slice(name.indexOf('/') + 1);

/** What was to be added under this name, to be changed before it is. */
function keptIn(changes: readonly Change[], name: string | undefined): Added | undefined {
  return changes.find((change) => change.step === 'add' && change.name === name) as Added | undefined;
}
