// Stores OAuth items under the hash of their ids, so the database reveals no code, refresh token or secret.
import Provider, { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { hashCode } from '../../keys/secret.ts';
import type { Store } from '../../store.ts';
import { findOauthItem, type OauthItem, type OauthItemKey } from './oauth-item.sql.ts';

// Marks an id that is a hash already: an item that was found by something else can still be written back.
const HASHED = 'sha256:';

/** For clients that nobody uses. A client with a grant stays as long as the grant. */
const UNUSED_CLIENT_MS = 30 * 86_400_000;

export class StoreAdapter implements Adapter {
  readonly #store: Store;
  readonly #kind: string;

  constructor(store: Store, kind: string) {
    this.#store = store;
    this.#kind = kind;
  }

  async upsert(id: string, { jti: _, ...payload }: AdapterPayload, expiresIn?: number): Promise<void> {
    const { uid, userCode, grantId } = payload;
    await this.#store.write.putOauthItem({
      ...this.#keyOf(id),
      payload: JSON.stringify(withoutSecret(payload)),
      // A grant belongs to itself, so it is removed together with everything derived from it.
      grantId: this.#kind === 'Grant' ? id : grantId,
      expiresAt: this.#endOf(expiresIn),
      ...{ uid, userCode },
    });
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const { idHash } = this.#isKnown() ? this.#keyOf(id) : { idHash: hashCode(id) };
    return toPayload(await this.#find('id_hash', idHash), id);
  }

  async findByUid(uid: string): Promise<AdapterPayload | undefined> {
    return toPayload(await this.#find('uid', uid));
  }

  async findByUserCode(userCode: string): Promise<AdapterPayload | undefined> {
    return toPayload(await this.#find('user_code', userCode));
  }

  async #find(column: Parameters<typeof findOauthItem>[1], value: string): Promise<OauthItem | undefined> {
    return await findOauthItem(this.#store.database, column, { kind: this.#kind, value, now: Date.now() });
  }

  /** A second use means that the item was stolen, possibly by its first user, so the whole grant ends. */
  async consume(id: string): Promise<void> {
    const key = this.#keyOf(id);
    if (await this.#store.write.consumeOauthItem({ ...key, now: Date.now() })) return;
    const { grantId } = toPayload(await this.#find('id_hash', key.idHash)) ?? {};
    if (grantId !== undefined) await this.revokeByGrantId(grantId);
    throw new errors.InvalidGrant('already used');
  }

  async destroy(id: string): Promise<void> {
    if (this.#kind === 'Grant') await this.revokeByGrantId(id);
    else await this.#store.write.removeOauthItem(this.#keyOf(id));
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.#store.write.endSession({ id: grantId, now: Date.now() });
  }

  /** After the sign-in the library looks a device code up by its hashed id, which no client sent. */
  #isKnown(): boolean {
    return this.#kind === 'DeviceCode' && Provider.ctx?.oidc?.route === 'device_resume';
  }

  #keyOf(id: string): OauthItemKey {
    return { kind: this.#kind, idHash: id.startsWith(HASHED) ? id.slice(HASHED.length) : hashCode(id) };
  }

  #endOf(expiresIn: number | undefined): number | undefined {
    const now = Date.now();
    if (expiresIn !== undefined) return now + expiresIn * 1_000;
    return this.#kind === 'Client' ? now + UNUSED_CLIENT_MS : undefined;
  }
}

function withoutSecret({ client_secret: secret, ...payload }: AdapterPayload): AdapterPayload {
  return secret === undefined ? payload : { ...payload, client_secret: hashCode(secret) };
}

function toPayload(item: OauthItem | undefined, id?: string): AdapterPayload | undefined {
  if (item === undefined) return undefined;
  const { payload, idHash, consumedAt } = item;
  return {
    ...JSON.parse(payload),
    jti: id ?? `${HASHED}${idHash}`,
    ...(consumedAt !== undefined && { consumed: Math.floor(consumedAt / 1_000) }),
  };
}
