import { useNavigate } from '@tanstack/react-router';
import type { Choose } from './use-choice.ts';

/** Words are looked up in what is there now: in the past they find nothing. */
export function PastSearch({ choose }: { choose: Choose }) {
  const navigate = useNavigate();
  const goToNow = () => void navigate({ to: '.', search: ({ at: _, ...others }) => others, resetScroll: false });
  return (
    <section className="empty" aria-label="What was found">
      <p>Words can be searched for in what is there now, not as of a sequence.</p>
      <p className="choices">
        <button type="button" onClick={goToNow}>
          Search now
        </button>
        <button type="button" className="secondary" onClick={() => choose({ q: undefined })}>
          Stay, and clear the words
        </button>
      </p>
    </section>
  );
}
