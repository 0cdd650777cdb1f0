import { queryOptions, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useId, useState } from 'react';
import type { ReadCall } from '../../app/calls.ts';
import { repository, repositoryKey, whoami } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { atOf, homeName, type Sight, useSight } from '../../app/sight.ts';
import { beginWork, useWorkOf, type Work } from '../../app/work.ts';
import { WorkProgress } from '../../app/works.tsx';
import { bytesText } from '../../ui/amount.ts';
import { Page, ProblemPage, SignInFirst } from '../../ui/page.tsx';
import { Calls } from '../commit/calls.tsx';
import { type Exported, type ExportRequest, type Progress, runExport } from './run-export.ts';
import { chooseTarget, isStreamed, type Target } from './target.ts';

export function Export() {
  const sight = useSight();
  const { since } = useSearch({ from: '/$orgName/$repoName/export' });
  const { data: person } = useQuery(whoami);
  const { work, problem, start } = useExport(sight);
  const fileName = fileNameOf(sight, since);
  const request = { orgName: sight.orgName, repoName: sight.repoName, atRepoSeq: sight.at, sinceRepoSeq: since };
  return (
    <Page title="Export" within={homeName(sight)}>
      <p className="hint">
        An export is an NDJSON file with one record per line. You can import it into another repository, on this server
        or another.
      </p>
      <ExportChoice
        sight={sight}
        since={since}
        isRunning={work?.now.state === 'running'}
        isAllowed={person !== undefined && person.kind !== 'anonymous'}
        onStart={() => void start(request, fileName)}
      />
      {/* Exports need a sign-in even if the repository is public. */}
      {person?.kind === 'anonymous' && (
        <SignInFirst what="export this repository, or use the command below with a token" />
      )}
      {!isStreamed() && (
        <p className="quiet">
          This browser cannot stream to a file, so the export stays in memory until it is complete. That works up to 500
          MB. For larger exports, use the command below.
        </p>
      )}
      {problem === undefined ? (
        <ExportOutcome sight={sight} work={work} since={since} />
      ) : (
        <ProblemPage error={problem} isPart />
      )}
      <Calls shown={[shownOn(sight, { since, fileName })]} />
    </Page>
  );
}

interface OutcomeProps {
  readonly sight: Sight;
  readonly work: Work | undefined;
  readonly since: number | undefined;
}

function ExportOutcome({ sight, work, since }: OutcomeProps) {
  if (work === undefined) return null;
  const { now } = work;
  switch (now.state) {
    case 'running':
      return <ExportProgress sight={sight} work={work} isWhole={since === undefined} />;
    case 'stopped':
      return <p role="status">The export was stopped, and the partial file was discarded.</p>;
    case 'done':
      return <ExportDone exported={now.outcome.result as Exported} />;
    case 'failed':
      return <ProblemPage error={now.error} isPart />;
  }
}

function fileNameOf({ repoName, at }: Sight, since: number | undefined): string {
  const span = [since === undefined ? '' : `-since-${since}`, at === undefined ? '' : `-at-${at}`].join('');
  return `${repoName}${span}.ndjson`;
}

function shownOn(sight: Sight, { since, fileName }: { since: number | undefined; fileName: string }): ReadCall {
  const { orgName, repoName } = sight;
  return {
    what: 'The export, as a file',
    procedure: 'repo.exportToFile',
    given: [fileName],
    command: 'repo export',
    rest: `/api/repos/${orgName}/${repoName}/export`,
    options: { ...atOf(sight), ...(since !== undefined && { sinceRepoSeq: since }) },
  };
}

const ExportDone = ({ exported: { atRepoSeq, rows, bytes, sha256 } }: { exported: Exported }) => (
  <section className="exported" role="status">
    <h2>Export complete</h2>
    <p>
      {rows.toLocaleString('en')} rows, {bytesText(bytes)}, at sequence {atRepoSeq.toLocaleString('en')}. The file is
      complete: it has every row that the server counted, and its checksum matches.
    </p>
    <p>
      SHA-256 of the file: <code>{sha256}</code>
    </p>
    <p className="quiet">
      Next time, you can export only the changes after sequence {atRepoSeq.toLocaleString('en')} and import them on top.
    </p>
  </section>
);

const BEGUN: Progress = { step: 'receiving', rows: 0, bytes: 0 };

function ExportProgress({ sight, work, isWhole }: { sight: Sight; work: Work; isWhole: boolean }) {
  const { step, rows, bytes, atRepoSeq = 0 } = (work.progress as Progress | undefined) ?? BEGUN;
  const { data: total } = useQuery({ ...rowsAt(sight, atRepoSeq), enabled: isWhole && atRepoSeq > 0 });
  const came = `${rows.toLocaleString('en')} ${total === undefined ? '' : `of about ${total.toLocaleString('en')} `}rows`;
  return (
    <WorkProgress
      work={work}
      what="Export"
      max={Math.max(total ?? 1, rows, 1)}
      value={total === undefined ? undefined : rows}
      told={step === 'checking' ? 'Checking the saved file…' : `${came}, ${bytesText(bytes)}`}
    />
  );
}

/** An estimate: older versions of shapes are not counted. */
const rowsAt = (sight: Sight, atRepoSeq: number) =>
  queryOptions({
    queryKey: [...repositoryKey(sight), 'rows', atRepoSeq],
    queryFn: async ({ signal }) => {
      const { counts, retracted } = await client.repo.stats(sight.orgName, sight.repoName, { signal, atRepoSeq });
      return Object.values(counts).reduce((sum, count) => sum + count, retracted);
    },
  });

const DRAWN_MS = 100;

function useExport({ orgName, repoName }: Sight) {
  const href = `/${orgName}/${repoName}/export`;
  const work = useWorkOf(href);
  const [problem, setProblem] = useState<unknown>();
  const start = async (request: ExportRequest, fileName: string) => {
    setProblem(undefined);
    try {
      const target = await chooseTarget(fileName);
      if (target !== undefined) beginExport(href, { request, target });
    } catch (error) {
      setProblem(error);
    }
  };
  return { work, problem, start };
}

function beginExport(href: string, { request, target }: { readonly request: ExportRequest; readonly target: Target }) {
  beginWork({
    what: `Export of ${request.orgName}/${request.repoName}`,
    href,
    run: async ({ signal, tell }) => {
      const onProgress = seldom((progress) => tell(`${progress.rows.toLocaleString('en')} rows`, progress));
      const result = await runExport({ request, target, signal, onProgress });
      return { told: `Complete: ${result.rows.toLocaleString('en')} rows.`, result };
    },
  });
}

/** Limits redraws; a new step is reported at once. */
function seldom(tell: (progress: Progress) => void): (progress: Progress) => void {
  let last: { readonly at: number; readonly step: Progress['step'] } | undefined;
  return (progress) => {
    const at = performance.now();
    if (last?.step === progress.step && at - last.at < DRAWN_MS) return;
    last = { at, step: progress.step };
    tell(progress);
  };
}

interface ExportChoiceProps {
  readonly sight: Sight;
  readonly since: number | undefined;
  readonly isRunning: boolean;
  readonly isAllowed: boolean;
  readonly onStart: () => void;
}

function ExportChoice({ sight, since, isRunning, isAllowed, onStart }: ExportChoiceProps) {
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
        <legend>Sequence</legend>
        <Radio name="time" checked={sight.at === undefined} onChoose={() => choose({ at: undefined })}>
          {`Now, at sequence ${latest.toLocaleString('en')}`}
        </Radio>
        <Radio name="time" checked={sight.at !== undefined} onChoose={() => choose({ at: latest })}>
          An earlier sequence
        </Radio>
        {sight.at !== undefined && (
          <Sequence label="Sequence" value={sight.at} least={first} most={latest} onChoose={(at) => choose({ at })} />
        )}
      </fieldset>
      <fieldset disabled={isRunning}>
        <legend>Contents</legend>
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
          ? 'The file has every record at that sequence, without its history.'
          : `The file has the records that changed after sequence ${since.toLocaleString('en')}, without the versions in between.`}{' '}
        To keep the full history, back up the server.
      </p>
      <button type="submit" disabled={isRunning || !isAllowed || latest === 0}>
        {isStreamed() ? 'Export to a file…' : 'Export'}
      </button>
      {latest === 0 && <p className="quiet">The repository is empty, so there is nothing to export.</p>}
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
