// The owner's view of a world: the answers to a session, which sees everything. Each question is asked once.
import { type Answer, type Ask, type AskedName, asker, principalOf } from './ask.ts';
import type { WorldRecord } from './record.ts';
import type { World } from './world.ts';

export class OwnerView {
  readonly world: World;
  readonly byId: ReadonlyMap<string, WorldRecord>;
  readonly #ask: Ask;
  readonly #answers = new Map<string, Promise<Answer>>();

  static async of(world: World): Promise<OwnerView> {
    const principal = await principalOf(world.options.store, world.sessionToken);
    return new OwnerView(world, asker(world.options.store, principal));
  }

  private constructor(world: World, ask: Ask) {
    this.world = world;
    this.#ask = ask;
    this.byId = new Map(world.records.map((record) => [record.durableId, record]));
  }

  ask(name: AskedName, input: object): Promise<Answer> {
    const key = `${name} ${JSON.stringify(input)}`;
    const known = this.#answers.get(key) ?? this.#ask(name, input);
    this.#answers.set(key, known);
    return known;
  }
}
