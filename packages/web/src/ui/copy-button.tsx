import { useState } from 'react';

/** `what` is said to who cannot see what it stands beside. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [said, setSaid] = useState('Copy');
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setSaid('Copied'),
      () => setSaid('Not allowed: select the text'),
    );
  return (
    <button type="button" className="small" aria-label={`${said}: ${what}`} onClick={() => void copy()}>
      {said}
    </button>
  );
}
