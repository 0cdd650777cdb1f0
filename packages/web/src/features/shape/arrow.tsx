/** From one to another, for eyes and for ears. */
export function Arrow({ says = 'to' }: { says?: string }) {
  return (
    <>
      {' '}
      <span aria-hidden="true">→</span>
      <span className="hidden">{says}</span>{' '}
    </>
  );
}
