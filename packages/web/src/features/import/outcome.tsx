import { Link } from '@tanstack/react-router';
import type { Sight } from '../../app/sight.ts';
import { Text } from '../../ui/text.tsx';
import type { Imported } from './run-import.ts';
import { STOPPED, writtenOf } from './told.ts';

interface OutcomeProps {
  readonly sight: Sight;
  readonly imported: Imported;
}

/** What came of an import: what was written, what was refused, and what was not read any more. */
export function Outcome({ sight: { orgName, repoName }, imported }: OutcomeProps) {
  const { stopped, repoSeq } = imported;
  return (
    <section aria-label="What came of it">
      {stopped !== undefined && (
        <>
          <p className="problem" role="alert">
            {STOPPED} <Text most={400}>{stopped}</Text>
          </p>
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
            <Link
              to="/$orgName/$repoName/commits/$repoSeq"
              params={{ orgName, repoName, repoSeq: String(repoSeq) }}
              search={{}}
            >
              See the last commit
            </Link>
            {', or '}
          </>
        )}
        <Link to="/$orgName/$repoName/records" params={{ orgName, repoName }}>
          see the records
        </Link>
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
