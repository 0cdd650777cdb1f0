// Changes of organizations and repositories by their owners, while tokens exist for them.
import type { CallProcedure } from '../procedure.ts';
import type { ActionIntent } from './intent.ts';
import type { Org } from './model.ts';
import type { Scene } from './scene.ts';

export class PlaceChange {
  readonly #scene: Scene;

  constructor(scene: Scene) {
    this.#scene = scene;
  }

  async change(intent: Exclude<ActionIntent, { by: number }>): Promise<void> {
    const ada = this.#scene.call({ account: 'ada' });
    if (intent.do === 'leave' || intent.do === 'renameOrg') {
      const org = this.#scene.orgs[intent.org % this.#scene.orgs.length];
      return org && (await this.#changeOrg(ada, org, intent.do));
    }
    const repo = this.#scene.repos[intent.repo % this.#scene.repos.length];
    if (repo === undefined) return;
    const address = { orgName: repo.org.name, repoName: repo.name };
    if (intent.do === 'setVisibility') {
      (await ada('repo.setVisibility', { ...address, visibility: intent.visibility })).data();
      repo.visibility = intent.visibility;
    } else if (intent.do === 'transfer') {
      const org = this.#scene.orgs[intent.org % this.#scene.orgs.length] ?? repo.org;
      (await ada('repo.transfer', { ...address, newOrgName: org.name })).data();
      repo.org = org;
    } else if (intent.do === 'renameRepo') {
      const newName = `r${this.#scene.nextNumber()}`;
      (await ada('repo.rename', { ...address, newName })).data();
      repo.name = newName;
    } else {
      const shape = repo.shapes[intent.shape % repo.shapes.length];
      const newName = ['Hall', 'Signal', 'Room'].find((name) => repo.shapes.every((one) => one.name !== name));
      if (shape === undefined || newName === undefined) return;
      (await ada('shape.rename', { ...address, name: shape.name, newName })).data();
      shape.name = newName;
    }
  }

  async #changeOrg(ada: CallProcedure, org: Org, what: 'leave' | 'renameOrg'): Promise<void> {
    if (what === 'renameOrg') {
      const newName = `o${this.#scene.options.number}-${this.#scene.nextNumber()}`;
      (await ada('org.rename', { orgName: org.name, newName })).data();
      org.name = newName;
    } else if (org.bob !== null) {
      (await ada('org.removeMember', { orgName: org.name, handle: this.#scene.handle('bob') })).data();
      org.bob = null;
      for (const repo of this.#scene.repos) if (repo.org === org) repo.bob = null;
    }
  }
}
