import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import type { Shown } from '../../app/calls.ts';
import { Calls } from '../../app/calls.tsx';
import { problemOf } from '../../app/problem.ts';
import { whoami } from '../../app/queries.ts';
import { atOf, type Sight, useSight } from '../../app/sight.ts';
import { SignInFirst } from '../../ui/sign-in-first.tsx';
import { useTitle } from '../../ui/title.ts';
import { ExportChoice } from './export-choice.tsx';
import { ExportDone } from './export-done.tsx';
import { ExportProgress } from './export-progress.tsx';
import { isStreamed } from './target.ts';
import { type ExportState, useExport } from './use-export.ts';
import '../../ui/css/page.css';
import '../../ui/css/export.css';

/** The repository as a file, as it is or as it was. */
export function Export() {
  const sight = useSight();
  const { since } = useSearch({ from: '/$orgName/$repoName/export' });
  useTitle('Export', `${sight.orgName}/${sight.repoName}`);
  const { data: person } = useQuery(whoami);
  const { state, start, stop } = useExport(sight);
  const isRunning = state.state === 'running';
  const fileName = fileNameOf(sight, since);
  const request = { orgName: sight.orgName, repoName: sight.repoName, atRepoSeq: sight.at, sinceRepoSeq: since };
  return (
    <>
      <h1>Export</h1>
      <p className="hint">
        A file with every record, one in a line (NDJSON). It can be imported into another repository, here or on another
        server.
      </p>
      <ExportChoice
        sight={sight}
        since={since}
        isRunning={isRunning}
        isAllowed={person !== undefined && person.kind !== 'anonymous'}
        onStart={() => void start(request, fileName)}
      />
      {/* Whoever takes all of it must be known, even where everybody may read it. */}
      {person?.kind === 'anonymous' && <SignInFirst what="export it, or use the command below with a token" />}
      {!isStreamed() && (
        <p className="quiet">
          This browser does not let a page write a file as it comes: the export is kept in memory until it is whole,
          which works up to 500 MB. For more, use the command below.
        </p>
      )}
      <Outcome sight={sight} state={state} since={since} onStop={stop} />
      <Calls shown={[shownOn(sight, { since, fileName })]} />
    </>
  );
}

interface OutcomeProps {
  readonly sight: Sight;
  readonly state: ExportState;
  readonly since: number | undefined;
  readonly onStop: () => void;
}

function Outcome({ sight, state, since, onStop }: OutcomeProps) {
  switch (state.state) {
    case 'idle':
      return null;
    case 'running':
      return <ExportProgress sight={sight} progress={state.progress} isWhole={since === undefined} onStop={onStop} />;
    case 'stopped':
      return <p role="status">The export was stopped. Nothing of it was kept.</p>;
    case 'done':
      return <ExportDone exported={state.exported} />;
    case 'failed':
      return <Failed error={state.error} />;
  }
}

function Failed({ error }: { error: unknown }) {
  const { title, advice } = problemOf(error);
  return (
    <section className="problem" role="alert">
      <h2>{title}</h2>
      <p>{advice}</p>
    </section>
  );
}

function fileNameOf({ repoName, at }: Sight, since: number | undefined): string {
  const span = [since === undefined ? '' : `-since-${since}`, at === undefined ? '' : `-at-${at}`].join('');
  return `${repoName}${span}.ndjson`;
}

function shownOn(sight: Sight, { since, fileName }: { since: number | undefined; fileName: string }): Shown {
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
