import type { Scope } from '@cairn/protocol/scopes';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { toCommit, toRecords } from '../../app/links.ts';
import { useMay } from '../../app/may.ts';
import { problemOf } from '../../app/problem.ts';
import { description, repository, repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import { type Sight, useSight } from '../../app/sight.ts';
import { beginWork, useWorkOf, type Work } from '../../app/work.ts';
import { WorkProgress } from '../../app/works.tsx';
import { ActionForm } from '../../ui/action-form.tsx';
import { bytesText } from '../../ui/amount.ts';
import { SecondaryButton } from '../../ui/button.tsx';
import { Field, TextField, TickField } from '../../ui/field.tsx';
import { Failure } from '../../ui/page.tsx';
import { Alert, CodeText, Text } from '../../ui/text.tsx';
import { Writable } from '../change/writable.tsx';
import { rightText } from '../organization/role.ts';
import { sampleLine } from '../records/sample-line.ts';
import { Restoring } from './restoring.tsx';
import { type FileKind, type Imported, type ImportRequest, kindOf, runImport } from './run-import.ts';

export function Import() {
  const sight = useSight();
  const { orgName, repoName } = sight;
  const href = `/${orgName}/${repoName}/import`;
  const work = useWorkOf(href);
  const isRunning = work?.now.state === 'running';
  const queries = useQueryClient();
  // A stopped import may be half done.
  const onEnd = () => void queries.invalidateQueries({ queryKey: repositoryKey(sight) });
  return (
    <Writable sight={sight} title="Import">
      <Restoring sight={sight} isImport />
      <FileKinds sight={sight} />
      {!isRunning && <FileChoice sight={sight} onStart={(request) => beginImport({ href, request, onEnd })} />}
      {work !== undefined && <Progress sight={sight} work={work} />}
    </Writable>
  );
}

interface Beginning {
  readonly href: string;
  readonly request: ImportRequest;
  readonly onEnd: () => void;
}

function beginImport({ href, request, onEnd }: Beginning) {
  beginWork({
    what: `Import into ${request.orgName}/${request.repoName}`,
    href,
    run: async ({ signal, tell }) => {
      const result = await runImport({ request, signal, tell }).finally(onEnd);
      return { told: toldOf(result), refused: result.refused, isCut: result.stopped !== undefined, result };
    },
  });
}

function FileChoice({ sight, onStart }: { sight: Sight; onStart: (request: ImportRequest) => void }) {
  const { orgName, repoName } = sight;
  const [chosen, setChosen] = useState<{ readonly file: File; readonly kind: FileKind }>();
  const [skipExisting, setSkipExisting] = useState(false);
  const [message, setMessage] = useState('');
  const mayRestore = useMay(sight, 'repo:admin');
  const choose = async (file: File | undefined) =>
    setChosen(file === undefined ? undefined : { file, kind: await kindOf(file) });
  const { data: itself } = useQuery(repository(sight));
  const unfit = chosen && UNFIT[chosen.kind];
  const isTaken = chosen?.kind !== 'lines' || itself?.features.streamSubmissions === true;
  const usualMessage = `Import of ${chosen?.file.name ?? 'a file'}`;
  const isAllowed = chosen?.kind !== 'export' || mayRestore === true;
  return (
    <ActionForm
      label="Import"
      action="Import"
      doing="Starting…"
      isPending={false}
      isReady={chosen !== undefined && unfit === undefined && isAllowed && isTaken}
      problem={
        isAllowed
          ? undefined
          : `Restoring an export needs permission to ${rightText('repo:admin')}. Your role in ${orgName}/${repoName} does not include it. Ask an admin.`
      }
      onSubmit={() =>
        chosen !== undefined &&
        onStart({ orgName, repoName, ...chosen, skipExisting, message: message.trim() || usualMessage })
      }
    >
      <Field
        label="File"
        hint={
          chosen === undefined || unfit !== undefined
            ? 'An NDJSON file: an export, or one operation per line.'
            : `${chosen.kind === 'export' ? 'Cairn export' : 'Operations'}, ${bytesText(chosen.file.size)}.`
        }
        problem={unfit}
      >
        {(control) => (
          <input
            {...control}
            type="file"
            accept=".ndjson,.jsonl"
            onChange={({ target }) => void choose(target.files?.[0])}
          />
        )}
      </Field>
      {!isTaken && <AllowLines sight={sight} />}
      {chosen?.kind === 'lines' && (
        <>
          <TickField
            label="Skip existing records"
            hint="Otherwise lines that add an existing record are rejected."
            isTicked={skipExisting}
            onChange={setSkipExisting}
          />
          <TextField
            label="Message"
            hint="For the commits that write the lines."
            placeholder={usualMessage}
            value={message}
            onChange={setMessage}
          />
        </>
      )}
    </ActionForm>
  );
}

/** Bulk submissions are off by default. */
function AllowLines({ sight }: { sight: Sight }) {
  const { orgName, repoName } = sight;
  const may = useMay(sight, 'repo:configure');
  const queries = useQueryClient();
  const allow = useMutation({
    mutationFn: () => client.repo.configure(orgName, repoName, { features: { streamSubmissions: true } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: repositoryKey(sight) }),
  });
  return (
    <div className="field">
      <p>
        {orgName}/{repoName} does not accept streaming submissions yet. With them, everyone with write access can send
        files of any length. Each line is written separately, so an import can be partly applied. You can turn this off
        in the settings at any time.{' '}
        {may === false && `Ask somebody with permission to ${rightText('repo:configure')}.`}
      </p>
      {may === true && (
        <SecondaryButton disabled={allow.isPending} onClick={() => allow.mutate()}>
          Allow streaming submissions
        </SecondaryButton>
      )}
      {allow.error !== null && <p className="problem">{problemOf(allow.error).advice}</p>}
    </div>
  );
}

const UNFIT: Readonly<Partial<Record<FileKind, string>>> = {
  other: 'This is not NDJSON: the first line is not a JSON object. Choose another file.',
  empty: 'This file is empty. Choose another file.',
};

function Progress({ sight, work }: { sight: Sight; work: Work }) {
  const { now, progress } = work;
  if (now.state === 'running') {
    return <WorkProgress work={work} what="Import" value={typeof progress === 'number' ? progress : undefined} />;
  }
  if (now.state === 'stopped') {
    return (
      <p role="status">
        Stopped. Lines that were already written remain. An export appears only when it is complete. To resume it,
        choose the same file again.
      </p>
    );
  }
  if (now.state === 'failed') {
    return <Failure error={now.error} />;
  }
  return <ImportOutcome sight={sight} imported={now.outcome.result as Imported} />;
}

function FileKinds({ sight }: { sight: Sight }) {
  const line = sampleLine(useQuery(description(sight)).data?.shapes ?? []);
  return (
    <dl className="file-kinds">
      <dt>Cairn export</dt>
      <dd>
        Restored as a whole, into an empty repository or one that was restored before.{' '}
        <Takes sight={sight} scope="repo:admin" /> <a href="/docs/exporting#import">How to import an export</a>.
      </dd>
      <dt>File of operations</dt>
      <dd>
        NDJSON with one operation per line, written line by line, into any repository.{' '}
        <Takes sight={sight} scope="repo:write" /> <a href="/docs/streaming#send-a-file">Format of a line</a>.
        {line !== undefined && (
          <figure>
            <figcaption className="quiet">A line that adds a record here</figcaption>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
            <pre tabIndex={0}>
              <CodeText most={2_000}>{line}</CodeText>
            </pre>
          </figure>
        )}
      </dd>
    </dl>
  );
}

function Takes({ sight, scope }: { sight: Sight; scope: Scope }) {
  const may = useMay(sight, scope);
  return (
    <>
      Needs permission to {rightText(scope)}
      {may === false && ', which your role does not include'}.
    </>
  );
}

export function ImportOutcome({ sight, imported }: { sight: Sight; imported: Imported }) {
  const { stopped, repoSeq } = imported;
  return (
    <section aria-label="Result">
      {stopped !== undefined && (
        <>
          <Alert>
            {STOPPED} <Text most={400}>{stopped}</Text>
          </Alert>
          <p>Fix the file, and import it again with “Skip existing records”. Lines that were already written remain:</p>
        </>
      )}
      <p role="status">{writtenOf(imported)}</p>
      <Refused imported={imported} />
      <p>
        {repoSeq > 0 && (
          <>
            <Link {...toCommit(sight, repoSeq)}>View the last commit</Link>
            {', or '}
          </>
        )}
        <Link {...toRecords(sight)}>view the records</Link>
      </p>
    </section>
  );
}

function Refused({ imported: { refused, refusedLines } }: { imported: Imported }) {
  if (refused === 0) return null;
  return (
    <>
      <h2>Rejected lines</h2>
      <ul>
        {refusedLines.map(({ line, code, message }) => (
          <li key={line}>
            Line {line.toLocaleString('en')}, {code}: <Text most={400}>{message}</Text>
          </li>
        ))}
      </ul>
      {refused > refusedLines.length && <p>And {(refused - refusedLines.length).toLocaleString('en')} more.</p>}
    </>
  );
}

const STOPPED = 'The import stopped early, and the remaining lines were not read.';

export const toldOf = (imported: Imported): string =>
  imported.stopped === undefined
    ? writtenOf(imported)
    : `${STOPPED} ${imported.stopped} Until then: ${writtenOf(imported)}`;

export function writtenOf({ kind, repoSeq, applied, noop, refused }: Imported): string {
  const count = (number: number) => number.toLocaleString('en');
  if (kind === 'export')
    return `Restored ${count(applied)} rows, including shapes and texts, at sequence ${count(repoSeq)}.`;
  const operations = applied === 1 ? 'operation was' : 'operations were';
  return `${count(applied)} ${operations} applied, ${count(noop)} changed nothing, ${count(refused)} ${refused === 1 ? 'was' : 'were'} rejected.`;
}
