import type { ComponentReport } from '@cairn/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { repositoryKey } from '../../app/queries.ts';
import { client } from '../../app/session.ts';
import type { Sight } from '../../app/sight.ts';
import { beginWork, useWorkOf } from '../../app/work.ts';
import { type ComponentName, refOf } from './component.ts';

const VERBS = {
  install: { what: 'Install', told: 'Writing what it brings, and calling its setup…' },
  update: { what: 'Update', told: 'Bringing it to the latest version, and calling its setup…' },
} as const;

/** Installs or updates as work that goes on when the page is left: its maker may take long to answer. */
export function useInstall(sight: Sight, name: ComponentName) {
  const { orgName, repoName } = sight;
  const queries = useQueryClient();
  const href = `/${orgName}/${repoName}/operate/components/${refOf(name)}`;
  const latest = useWorkOf(href);
  const begin = (verb: keyof typeof VERBS) =>
    beginWork({
      what: `${VERBS[verb].what} of ${refOf(name)} in ${orgName}/${repoName}`,
      href,
      run: async ({ signal, tell }) => {
        tell(VERBS[verb].told);
        try {
          return { told: outcomeOf(await client.component[verb](orgName, repoName, refOf(name), { signal })) };
        } finally {
          await queries.invalidateQueries({ queryKey: repositoryKey(sight) });
        }
      },
    });
  return { begin, latest };
}

function outcomeOf({ component, version, state, findings }: ComponentReport): string {
  if (findings.length === 0) return `${component} ${version} is ${state}.`;
  return `${component} ${version} is ${state}: ${findings.length === 1 ? '1 thing is' : `${findings.length} things are`} to be looked at.`;
}
