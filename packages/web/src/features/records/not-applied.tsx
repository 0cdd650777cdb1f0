/** Beside a button that makes what was typed count. */
export function NotApplied({ isShown }: { isShown: boolean }) {
  return (
    <span className="quiet" role="status">
      {isShown && 'Not applied yet'}
    </span>
  );
}
