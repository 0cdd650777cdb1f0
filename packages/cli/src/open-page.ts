// Shows a page in the browser of the person at the terminal.

/** By what the system opens pages with. Where that is missing or fails, the person has the address to open it elsewhere. */
export async function openPage(url: string): Promise<void> {
  // Loaded here: few commands open a page, and all would wait for it.
  const { spawn } = await import('node:child_process');
  const [command, ...args] = commandFor(process.platform);
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}

function commandFor(platform: string): [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  // Not `start`, which is a word of the shell: an address must not be read by one.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  return ['xdg-open'];
}
