/** Where the keyboard goes when what it was on is gone: to the content, as on a new page. */
export function focusContent(): void {
  document.getElementById('content')?.focus({ preventScroll: true });
}
