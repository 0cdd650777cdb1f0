// Which installed component a word on the command line means.
import { type CairnClient, CairnError, eachItem } from '@cairn/sdk';
import type { CalledComponent, ComponentCli } from './component-method.ts';
import type { RepoName } from './repo-name.ts';

/** A repository has one component of a name at most. */
export async function installNamed(client: CairnClient, { orgName, repoName }: RepoName, name: string) {
  const installs = eachItem((cursor) => client.component.list(orgName, repoName, { limit: 500, cursor }));
  for await (const install of installs) {
    if (install.component.endsWith(`/${name}`) && install.state !== 'uninstalled') return install;
  }
  return undefined;
}

/** By `org/name`, or where it is installed by its name. */
export async function findComponent(client: CairnClient, repo: RepoName, given: string): Promise<CalledComponent> {
  if (given.includes('/')) return { ...repo, component: given, cli: await cliOf(client, repo, given) };
  const install = await installNamed(client, repo, given);
  if (install === undefined) throw notInstalled(repo, given);
  return { ...repo, component: install.component, cli: install.cli };
}

function notInstalled({ orgName, repoName }: RepoName, given: string): CairnError {
  return new CairnError('NOT_FOUND', {
    message: `No component ${given} is installed in ${orgName}/${repoName}. See cairn component list, or install it: cairn component install ORG/${given}.`,
  });
}

/** Who may read a part of the repository only can call methods too, and learns of them from the registry. */
async function cliOf(client: CairnClient, { orgName, repoName }: RepoName, component: string) {
  try {
    return (await client.component.get(orgName, repoName, component)).cli;
  } catch (error) {
    if (!(error instanceof CairnError) || error.code !== 'FORBIDDEN') throw error;
    const [owner = '', name = ''] = component.split('/');
    const { manifest } = await client.component.view(owner, name);
    return manifest.cli as ComponentCli | undefined;
  }
}
