import { bytesText } from '../../ui/amount.ts';
import type { Exported } from './run-export.ts';

/** What is in the file, so that it can be compared with it. */
export function ExportDone({ exported: { atRepoSeq, rows, bytes, sha256 } }: { exported: Exported }) {
  return (
    <section className="exported" role="status">
      <h2>The export is whole</h2>
      <p>
        {rows.toLocaleString('en')} rows, {bytesText(bytes)}, as of sequence {atRepoSeq.toLocaleString('en')}. Nothing
        is missing: the last line of the file counts as many rows, and what was saved is what the server sent.
      </p>
      <p>
        SHA-256 of the file: <code>{sha256}</code>
      </p>
      <p className="quiet">
        Later, export only what changed after sequence {atRepoSeq.toLocaleString('en')}, and import it on top.
      </p>
    </section>
  );
}
