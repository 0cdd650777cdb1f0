/** Whether the browser can draw: some have it turned off, or have no graphics. */
export function hasWebGl(): boolean {
  const canvas = document.createElement('canvas');
  return (canvas.getContext('webgl2') ?? canvas.getContext('webgl')) !== null;
}
