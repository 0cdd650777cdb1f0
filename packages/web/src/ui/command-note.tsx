/** How one comes by the command that a page shows. */
export function CommandNote() {
  return (
    <>
      In a checkout of Cairn write <code>npx cairn</code> for <code>cairn</code>;{' '}
      <a href="/docs/cli#outside-the-checkout">installed</a>, it is there in every folder.
    </>
  );
}
