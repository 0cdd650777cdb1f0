/** What a reference is, for who has met none yet. */
export function ReferenceHint() {
  return (
    <p className="hint">
      A reference (wref) leads to another record, by its name. It follows renames, and keeps the version that was
      current when it was written, such as @v1.
    </p>
  );
}
