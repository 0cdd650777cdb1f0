// One run: random actions go over HTTP, and each result is compared with the tree in memory. At the end every token's
// actual rights are checked.
import { PlaceChange } from './change.ts';
import { RoleGiving } from './giving.ts';
import type { ActionIntent } from './intent.ts';
import { TokenMaking } from './making.ts';
import { TokenManagement } from './management.ts';
import { ReachCheck } from './reach.ts';
import type { Scene } from './scene.ts';

export async function takeActions(scene: Scene, intents: readonly ActionIntent[]): Promise<void> {
  for (const intent of intents) await take(scene, intent);
  await new ReachCheck(scene).expectReach();
  // Tokens made for an organization must not follow a repository that leaves it.
  for (const repo of scene.repos.keys()) await new PlaceChange(scene).change({ do: 'transfer', repo, org: repo });
  await new ReachCheck(scene).expectReach();
}

async function take(scene: Scene, intent: ActionIntent): Promise<void> {
  scene.asked += 1;
  switch (intent.do) {
    case 'create':
      return await new TokenMaking(scene).create(intent);
    case 'probe':
      return await new TokenMaking(scene).probe(intent);
    case 'rotate':
      return await new TokenManagement(scene).rotate(intent);
    case 'revoke':
      return await new TokenManagement(scene).revoke(intent);
    case 'get':
      return await new TokenManagement(scene).get(intent);
    case 'list':
      return await new TokenManagement(scene).list(intent);
    case 'giveOrgRole':
      return await new RoleGiving(scene).giveOrgRole(intent);
    case 'giveRepoRole':
      return await new RoleGiving(scene).giveRepoRole(intent);
    default:
      return await new PlaceChange(scene).change(intent);
  }
}
