import { type ReactNode, useState } from 'react';

interface FoldProps {
  readonly summary: ReactNode;
  /** Whether something is wrong with what is in it: that is never hidden when it is told. */
  readonly isWrong: boolean;
  readonly children: ReactNode;
}

/** Fields that few need, out of the way until they are wanted. */
export function Fold({ summary, isWrong, children }: FoldProps) {
  const [isOpen, setOpen] = useState(isWrong);
  const [wasWrong, setWasWrong] = useState(isWrong);
  if (isWrong !== wasWrong) {
    setWasWrong(isWrong);
    if (isWrong) setOpen(true);
  }
  return (
    <details
      className={isWrong ? 'fold wrong' : 'fold'}
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>{summary}</summary>
      <div className="folded">{children}</div>
    </details>
  );
}
