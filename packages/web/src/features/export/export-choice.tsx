import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useEffect, useId, useState } from 'react';
import { repository } from '../../app/queries.ts';
import type { Sight } from '../../app/sight.ts';
import { isStreamed } from './target.ts';

interface ExportChoiceProps {
  readonly sight: Sight;
  readonly since: number | undefined;
  readonly isRunning: boolean;
  readonly isAllowed: boolean;
  readonly onStart: () => void;
}

export function ExportChoice({ sight, since, isRunning, isAllowed, onStart }: ExportChoiceProps) {
  const { data } = useQuery(repository(sight));
  const { repoSeq: latest = 0, importedRepoSeq: first = 1 } = data ?? {};
  const navigate = useNavigate({ from: '/$orgName/$repoName/export' });
  const last = sight.at ?? latest;
  const choose = (chosen: { at?: number | undefined; since?: number | undefined }) =>
    void navigate({
      search: (before) => withoutUndefined({ ...before, ...chosen }),
      replace: true,
      resetScroll: false,
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onStart();
  };
  return (
    <form className="export" onSubmit={submit}>
      <fieldset disabled={isRunning}>
        <legend>As of when</legend>
        <Radio name="time" checked={sight.at === undefined} onChoose={() => choose({ at: undefined })}>
          {`Now, at sequence ${latest.toLocaleString('en')}`}
        </Radio>
        <Radio name="time" checked={sight.at !== undefined} onChoose={() => choose({ at: latest })}>
          At a sequence that you choose
        </Radio>
        {sight.at !== undefined && (
          <Sequence label="Sequence" value={sight.at} least={first} most={latest} onChoose={(at) => choose({ at })} />
        )}
      </fieldset>
      <fieldset disabled={isRunning}>
        <legend>How much</legend>
        <Radio name="span" checked={since === undefined} onChoose={() => choose({ since: undefined })}>
          Everything
        </Radio>
        <Radio name="span" checked={since !== undefined} onChoose={() => choose({ since: Math.max(1, last - 1) })}>
          Only what changed after a sequence
        </Radio>
        {since !== undefined && (
          <Sequence
            label="After sequence"
            value={since}
            least={first}
            most={last}
            onChoose={(chosen) => choose({ since: chosen })}
          />
        )}
      </fieldset>
      <p className="quiet">
        {since === undefined
          ? 'The file has every record as it is at that sequence, not its history.'
          : `The file has the records that changed after sequence ${since.toLocaleString('en')}, each as it is at the later one, not what it was between.`}{' '}
        A backup of the server has all of it, with its history.
      </p>
      <button type="submit" disabled={isRunning || !isAllowed || latest === 0}>
        {isStreamed() ? 'Export to a file…' : 'Export'}
      </button>
      {latest === 0 && <p className="quiet">There is nothing to export yet.</p>}
    </form>
  );
}

const withoutUndefined = (search: { at?: number | undefined; since?: number | undefined }) => ({
  ...(search.at !== undefined && { at: search.at }),
  ...(search.since !== undefined && { since: search.since }),
});

interface RadioProps {
  readonly name: string;
  readonly checked: boolean;
  readonly onChoose: () => void;
  readonly children: string;
}

const Radio = ({ name, checked, onChoose, children }: RadioProps) => (
  <label className="radio">
    <input type="radio" name={name} checked={checked} onChange={onChoose} />
    {children}
  </label>
);

interface SequenceProps {
  readonly label: string;
  readonly value: number;
  readonly least: number;
  readonly most: number;
  readonly onChoose: (sequence: number) => void;
}

function Sequence({ label, value, least, most, onChoose }: SequenceProps) {
  const id = useId();
  const [text, setText] = useState(String(value));
  useEffect(() => setText(String(value)), [value]);
  const take = (input: HTMLInputElement) => {
    if (input.checkValidity()) onChoose(input.valueAsNumber);
  };
  return (
    <div className="sequence">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="number"
        required
        min={least}
        max={most}
        value={text}
        onChange={({ target }) => setText(target.value)}
        onBlur={({ target }) => take(target)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          // Enter would start the export with the old value.
          event.preventDefault();
          take(event.currentTarget);
        }}
      />
    </div>
  );
}
