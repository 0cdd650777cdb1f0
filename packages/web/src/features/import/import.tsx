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
import { beginWork, stopWork, useWorkOf, type Work } from '../../app/work.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { bytesText } from '../../ui/amount.ts';
import { SecondaryButton } from '../../ui/button.tsx';
import { Field, TextField, TickField } from '../../ui/field.tsx';
import { Failure, useTitle } from '../../ui/page.tsx';
import { Alert, Text } from '../../ui/text.tsx';
import { Writable } from '../change/writable.tsx';
import { rightText } from '../organization/role.ts';
import { sampleLine } from '../records/sample-line.ts';
import { Restoring } from './restoring.tsx';
import { type FileKind, type Imported, type ImportRequest, kindOf, runImport } from './run-import.ts';

export function Import() {
  const sight = useSight();
  const { orgName, repoName } = sight;
  useTitle('Import', `${orgName}/${repoName}`);
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
      doing="Beginning…"
      isPending={false}
      isReady={chosen !== undefined && unfit === undefined && isAllowed && isTaken}
      problem={
        isAllowed
          ? undefined
          : `To restore an export takes the right to ${rightText('repo:admin')}, which your role in ${orgName}/${repoName} does not give.`
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
            ? 'NDJSON, as exports and the bulk interface have it.'
            : `${chosen.kind === 'export' ? 'An export of Cairn' : 'Lines of operations'}, ${bytesText(chosen.file.size)}.`
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
            label="Leave records that are there as they are"
            hint="Otherwise a line that adds one of them is refused."
            isTicked={skipExisting}
            onChange={setSkipExisting}
          />
          <TextField
            label="Message"
            hint="Of the commits that the lines are written by."
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
        {orgName}/{repoName} takes no lines in bulk (streaming submissions) yet. Once it does, everybody who may write
        to it can send files of any length, each line written by itself and not all or none: so it is decided for each
        repository, and can be turned off again in its settings.{' '}
        {may === false && `Somebody with the right to ${rightText('repo:configure')} can allow it.`}
      </p>
      {may === true && (
        <SecondaryButton disabled={allow.isPending} onClick={() => allow.mutate()}>
          Let it take them
        </SecondaryButton>
      )}
      {allow.error !== null && <p className="problem">{problemOf(allow.error).advice}</p>}
    </div>
  );
}

const UNFIT: Readonly<Partial<Record<FileKind, string>>> = {
  other: 'This is no NDJSON: its first line is no JSON object. Choose another file.',
  empty: 'This file is empty. Choose one that has something in it.',
};

function Progress({ sight, work }: { sight: Sight; work: Work }) {
  const { now, told, progress } = work;
  if (now.state === 'running') {
    return (
      <section className="progress" aria-label="Import">
        <progress aria-label="How much was sent" {...(typeof progress === 'number' && { value: progress })} />
        <p role="status">{told}</p>
        <p className="quiet">It goes on while you look at other pages of this tab.</p>
        <SecondaryButton onClick={() => stopWork(work.id)}>Stop</SecondaryButton>
      </section>
    );
  }
  if (now.state === 'stopped') {
    return (
      <p role="status">
        Stopped. Lines that were written before stay; an export shows only once it is whole, and goes on where it was
        when you choose the same file again.
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
      <dt>An export of Cairn</dt>
      <dd>
        Restored as a whole, into a repository that is empty or was restored before.{' '}
        <Takes sight={sight} scope="repo:admin" /> <a href="/docs/exporting#import">How exports are imported</a>.
      </dd>
      <dt>A file of operations</dt>
      <dd>
        NDJSON: one operation in a line, written line by line, into any repository.{' '}
        <Takes sight={sight} scope="repo:write" /> <a href="/docs/streaming#send-a-file">What a line can be</a>.
        {line !== undefined && (
          <figure>
            <figcaption className="quiet">A line that adds a record here</figcaption>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
            <pre tabIndex={0}>
              <code>
                <Text most={2_000}>{line}</Text>
              </code>
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
      It takes the right to {rightText(scope)}
      {may === false && ', which your role does not give'}.
    </>
  );
}

export function ImportOutcome({ sight, imported }: { sight: Sight; imported: Imported }) {
  const { stopped, repoSeq } = imported;
  return (
    <section aria-label="What came of it">
      {stopped !== undefined && (
        <>
          <Alert>
            {STOPPED} <Text most={400}>{stopped}</Text>
          </Alert>
          <p>
            Mend the file and import it once more, with “Leave records that are there as they are”. What was written
            before stays:
          </p>
        </>
      )}
      <p role="status">{writtenOf(imported)}</p>
      <Refused imported={imported} />
      <p>
        {repoSeq > 0 && (
          <>
            <Link {...toCommit(sight, repoSeq)}>See the last commit</Link>
            {', or '}
          </>
        )}
        <Link {...toRecords(sight)}>see the records</Link>
      </p>
    </section>
  );
}

function Refused({ imported: { refused, refusedLines } }: { imported: Imported }) {
  if (refused === 0) return null;
  return (
    <>
      <h2>Refused</h2>
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

const STOPPED = 'It was stopped, and what comes after was not read.';

export const toldOf = (imported: Imported): string =>
  imported.stopped === undefined
    ? writtenOf(imported)
    : `${STOPPED} ${imported.stopped} Until then: ${writtenOf(imported)}`;

export function writtenOf({ kind, repoSeq, applied, noop, refused }: Imported): string {
  const count = (number: number) => number.toLocaleString('en');
  if (kind === 'export')
    return `Restored: ${count(applied)} rows, shapes and texts among them, at sequence ${count(repoSeq)}.`;
  const operations = applied === 1 ? 'operation was' : 'operations were';
  return `${count(applied)} ${operations} applied, ${count(noop)} had nothing to change, ${count(refused)} ${refused === 1 ? 'was' : 'were'} refused.`;
}
