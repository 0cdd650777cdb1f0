// An install that is cut off anywhere and run again ends like an undisturbed one.

import { describe, expect, it } from 'vitest';
import {
  type ComponentStanding,
  type ComponentWorld,
  createComponentWorld,
  TRACKER,
  trackerManifest,
} from '../../../../test/support/component.ts';
import { type Answering, type Receiver, startReceiver, withStatus } from '../../../../test/support/receiver.ts';
import { UPPER_ENGINES } from '../../../../test/support/store.ts';
import type { Engine } from '../engine/database.ts';
import { writesBy } from '../store.ts';

function readyManifest() {
  const manifest = trackerManifest();
  return { ...manifest, credentials: [{ name: 'tracker-keys' }] };
}

async function prepare(engine: Engine, answering: Answering = withStatus(200)) {
  const receiver = await startReceiver(answering);
  const world = await createComponentWorld(engine, { CAIRN_OUTBOUND_ALLOW: `127.0.0.1:9,${receiver.address}` });
  await world.register({ manifest: readyManifest(), setupUrl: `${receiver.url}/setup` });
  return { world, receiver };
}

const install = ({ owner }: ComponentWorld) => owner('component.install', TRACKER);

interface Cut {
  readonly at: number;
  readonly done: boolean;
}

function cutOff({ store }: ComponentWorld, { at, done }: Cut): { reached: () => boolean; mend: () => void } {
  const { write } = store;
  let count = 0;
  const cutting = writesBy(async ({ name, input, audit }) => {
    const isCut = count++ === at;
    if (isCut && !done) throw new Error('the server died');
    const result = await write[name](input as never, audit);
    if (isCut) throw new Error('the server died');
    return result;
  });
  Object.assign(store, { write: cutting });
  return { reached: () => count > at, mend: () => Object.assign(store, { write }) };
}

async function undisturbed(engine: Engine): Promise<ComponentStanding> {
  const { world } = await prepare(engine);
  expect((await install(world)).data()).toMatchObject({ state: 'ready', findings: [] });
  return await world.standing();
}

async function survives(engine: Engine, cut: Cut, expected: ComponentStanding): Promise<boolean> {
  const { world } = await prepare(engine);
  const { reached, mend } = cutOff(world, cut);
  const answer = await install(world);
  mend();
  if (!reached()) return false;
  expect([cut, answer.status]).toEqual([cut, 500]);
  expect([cut, (await install(world)).data()]).toEqual([
    cut,
    expect.objectContaining({ state: 'ready', findings: [] }),
  ]);
  expect([cut, await world.standing()]).toEqual([cut, expected]);
  return true;
}

const tokensIn = ({ received }: Receiver) => received.map(({ body }) => body.runtime_token as string);

describe.each(UPPER_ENGINES)('an install on %s', (engine) => {
  it('that is cut off at any write converges when it is run again', async () => {
    const expected = await undisturbed(engine);
    expect(expected).toMatchObject({ liveTokens: 1, installs: [{ state: 'ready', setup_status: 'completed' }] });
    for (const done of [false, true]) {
      let at = 0;
      while (await survives(engine, { at, done }, expected)) at++;
      expect(at).toBeGreaterThanOrEqual(5);
    }
  });

  it('whose setup call is cut off is degraded, says what to do, and converges when it is run again', async () => {
    const expected = await undisturbed(engine);
    const { world, receiver } = await prepare(engine, (response) => response.destroy());
    const report = (await install(world)).data();
    expect(report).toMatchObject({ state: 'degraded', setup: { status: 'failed' } });
    expect(report.findings).toEqual([{ code: 'setup-failed', message: expect.stringContaining('install again') }]);
    receiver.answer(withStatus(200));
    expect((await install(world)).data().state).toBe('ready');
    expect(await world.standing()).toEqual(expected);
    expect(new Set(tokensIn(receiver)).size).toBe(2);
  });
});
