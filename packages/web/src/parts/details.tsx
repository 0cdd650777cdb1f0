import { detailsOf } from '../data/detail.ts';
import { Text } from './text.tsx';

/** What else is known of something that happened. */
export function Details({ details }: { details: Readonly<Record<string, unknown>> }) {
  const all = detailsOf(details);
  if (all.length === 0) return null;
  return (
    <p className="quiet">
      {all.map(({ label, text }, index) => (
        <span key={label}>
          {index > 0 && '; '}
          <Text>{label}</Text>: <Text most={2_000}>{text}</Text>
        </span>
      ))}
    </p>
  );
}
