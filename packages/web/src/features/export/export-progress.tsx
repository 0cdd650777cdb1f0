import { useQuery } from '@tanstack/react-query';
import type { Sight } from '../../app/sight.ts';
import { bytesText } from '../../ui/amount.ts';
import { rowsAt } from './export.ts';
import type { Progress } from './run-export.ts';

interface ExportProgressProps {
  readonly sight: Sight;
  readonly progress: Progress;
  /** Whether everything is exported: of what changed, nobody knows how much it is. */
  readonly isWhole: boolean;
  readonly onStop: () => void;
}

export function ExportProgress({ sight, progress, isWhole, onStop }: ExportProgressProps) {
  const { step, rows, bytes, atRepoSeq = 0 } = progress;
  const { data: total } = useQuery({ ...rowsAt(sight, atRepoSeq), enabled: isWhole && atRepoSeq > 0 });
  const came = `${rows.toLocaleString('en')} ${total === undefined ? '' : `of about ${total.toLocaleString('en')} `}rows`;
  return (
    <section className="progress" aria-label="Export">
      <progress
        aria-label="How much has come"
        max={Math.max(total ?? 1, rows, 1)}
        {...(total !== undefined && { value: rows })}
      />
      <p role="status">{step === 'checking' ? 'Checking what was saved…' : `${came}, ${bytesText(bytes)}`}</p>
      <p className="quiet">It goes on while you look at other pages of this tab.</p>
      <button type="button" className="secondary" onClick={onStop}>
        Stop
      </button>
    </section>
  );
}
