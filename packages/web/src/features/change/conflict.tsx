import type { RecordItem } from '@cairn/sdk';
import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { Sight } from '../../app/sight.ts';
import { Button, SecondaryButton } from '../../ui/button.tsx';
import { Loaded } from '../../ui/page.tsx';
import { Text } from '../../ui/text.tsx';
import { record } from '../record/record.ts';
import { Value } from '../record/value.tsx';
import { fieldNamed, partsOf, wholeOf } from '../shape/shape-limit.ts';
import { ShapeChanges } from '../shape/version-change.tsx';
import { WhyRetracted, WrittenSince } from './begun-note.tsx';
import { type Added, baseOf, type Change, type Revised } from './change.ts';
import { type Contested, contestedOf, merged, type Side, sidesAtFirst } from './followed.ts';
import type { Draft } from './kept-draft.ts';
import { useDropping } from './stranded-draft.tsx';

type Late = Exclude<Change, Added>;

interface ConflictProps {
  readonly sight: Sight;
  readonly change: Late;
  readonly draft: Draft;
}

export function Conflict({ sight, change, draft }: ConflictProps) {
  const newest = useQuery(record(sight, change.name));
  return (
    <div className="conflict">
      <Loaded query={newest} what="the current version" isPart>
        {(head) => (
          <>
            <p role="alert">
              <WrittenSince
                head={head}
                version={change.base.version}
                commit={takesBack(change) ? change.takenBack?.repoSeq : undefined}
              />
            </p>
            <WhyRetracted head={head} />
            {change.step === 'revise' ? (
              <BothSides key={head.version} change={change} head={head} draft={draft} />
            ) : (
              <AllTheSame change={change} head={head} draft={draft} />
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}

const takesBack = ({ takenBack, base }: Late): boolean => takenBack?.version === base.version;

function AllTheSame({ change, head, draft }: { change: Exclude<Late, Revised>; head: RecordItem; draft: Draft }) {
  if (change.step === 'retract' && !head.active) {
    return (
      <>
        <p>It is already retracted, as you intended.</p>
        <DropButton change={change} draft={draft} />
      </>
    );
  }
  return (
    <Button onClick={() => draft.put({ ...change, base: baseOf(head) })}>
      {change.step === 'retract' ? 'Retract anyway' : 'Rename anyway'}
    </Button>
  );
}

function DropButton({ change, draft }: Pick<ConflictProps, 'change' | 'draft'>) {
  const { dropOne } = useDropping(draft);
  return <Button onClick={() => dropOne(change)}>Discard my change</Button>;
}

/** Revising a retracted record restores it, which the buttons must say. */
const WORDS = {
  active: { chosen: 'Use the selected values', mine: 'Use all of mine', theirs: 'Use all of theirs' },
  retracted: {
    chosen: 'Restore with the selected values',
    mine: 'Restore with all of mine',
    theirs: 'Leave it retracted',
  },
} as const;

const BACK_WORDS = {
  active: { ...WORDS.active, mine: 'Use the values from before the commit', theirs: 'Keep the current values' },
  retracted: { ...WORDS.retracted, mine: 'Restore as before the commit' },
} as const;

function BothSides({ change, head, draft }: { change: Revised; head: RecordItem; draft: Draft }) {
  const parts = (whole: unknown) => partsOf(head.kind, whole);
  const contested = contestedOf(parts(change.base.data), parts(change.data), parts(head.data));
  const [sides, setSides] = useState(() => sidesAtFirst(contested));
  const { dropOne } = useDropping(draft);
  const id = useId();
  const unchosen = contested.map(({ name }) => name).filter((name) => !sides.has(name));
  const take = (data: unknown) => draft.put({ ...change, base: baseOf(head), data });
  const words = (takesBack(change) ? BACK_WORDS : WORDS)[head.active ? 'active' : 'retracted'];
  if (contested.length === 0 && head.active) {
    return (
      <>
        <p>It already has the values that you want.</p>
        <DropButton change={change} draft={draft} />
      </>
    );
  }
  return (
    <>
      {!head.active && <p>Committing your change restores it. To keep it retracted, discard the change.</p>}
      {contested.map((one) => (
        <FieldSides
          key={one.name}
          contested={one}
          isShape={head.kind === 'shape'}
          said={takesBack(change) ? BACK_SAID : SAID}
          side={sides.get(one.name)}
          onChoose={(side) => setSides(new Map(sides).set(one.name, side))}
        />
      ))}
      {unchosen.length > 0 && (
        <p id={`${id}-unchosen`}>
          Choose a side for{' '}
          <Text>{unchosen.map((name) => (head.kind === 'shape' && fieldNamed(name)) || name).join(', ')}</Text>, or use
          all values of one side.
        </p>
      )}
      <div className="actions">
        {contested.length > 0 && (
          <Button
            disabled={unchosen.length > 0}
            aria-describedby={unchosen.length > 0 ? `${id}-unchosen` : undefined}
            onClick={() => take(wholeOf(head.kind, merged(parts(change.data), parts(head.data), sides)))}
          >
            {words.chosen}
          </Button>
        )}
        <SecondaryButton onClick={() => take(change.data)}>{words.mine}</SecondaryButton>
        <SecondaryButton onClick={() => dropOne(change)}>{words.theirs}</SecondaryButton>
      </div>
    </>
  );
}

interface FieldSidesProps {
  readonly contested: Contested;
  readonly isShape: boolean;
  readonly said: Said;
  readonly side: Side | undefined;
  readonly onChoose: (side: Side) => void;
}

type Said = Readonly<Record<Contested['changedBy'] | Side, string>>;

const SAID: Said = {
  mine: 'Mine',
  theirs: 'Theirs',
  me: 'changed by you',
  them: 'changed by them',
  both: 'changed by both',
};
const BACK_SAID: Said = {
  mine: 'Before the commit',
  theirs: 'Current',
  me: 'changed by the commit',
  them: 'changed since then',
  both: 'changed by the commit and since then',
};

function FieldSides({ contested, isShape, said, side, onChoose }: FieldSidesProps) {
  const { name, was, mine, theirs, changedBy } = contested;
  const group = useId();
  const field = isShape ? fieldNamed(name) : undefined;
  const sides = [
    { value: 'mine', data: mine },
    { value: 'theirs', data: theirs },
  ] as const;
  return (
    <fieldset className="conflict-field">
      <legend>
        <Text>{field ?? name}</Text> <span className="quiet">({said[changedBy]})</span>
      </legend>
      {sides.map(({ value, data }) => (
        <label key={value}>
          <input type="radio" name={group} checked={side === value} onChange={() => onChoose(value)} />
          <span>{said[value]}</span>
          {field === undefined ? <SideOf data={data} /> : <FieldSide was={was} data={data} />}
        </label>
      ))}
    </fieldset>
  );
}

const SideOf = ({ data }: { data: unknown }) =>
  data === undefined ? <span className="quiet">missing</span> : <Value data={data} />;

function FieldSide({ was, data }: { was: unknown; data: unknown }) {
  const [before, after] = [was, data].map((part) => ({ fields: part ?? {} }));
  return (
    <div>
      <ShapeChanges before={before} after={after} same={was === undefined ? 'missing' : 'unchanged'} />
    </div>
  );
}
