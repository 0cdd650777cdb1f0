// What decides whether and where the runs of a subscription are sent.
import type { Reader } from '../../engine/database.ts';

export interface SubscriptionKey {
  /** The repository's id, or minus the organization's. */
  readonly homeId: number;
  readonly subscriptionId: string;
}

export interface SubscriptionState {
  readonly name: string;
  readonly webhookUrl: string;
  readonly fallbackWebhookUrl: string | null;
  readonly credentialSetId: string | null;
  readonly active: boolean;
  /** Whether its repository is, or the one whose commits it tells of. Either may be restored. */
  readonly deleted: boolean;
}

interface StateRow {
  readonly name: string;
  readonly webhook_url: string;
  readonly fallback_webhook_url: string | null;
  readonly credential_set_id: string | null;
  readonly active: number;
  readonly deleted_at: number | null;
  readonly source_deleted_at: number | null;
}

/** `undefined`: it is deleted. */
export async function findSubscriptionState(
  reader: Reader,
  { homeId, subscriptionId }: SubscriptionKey,
): Promise<SubscriptionState | undefined> {
  const [row] = await reader.query<StateRow>(
    `select subscription.name, webhook_url, fallback_webhook_url, credential_set_id, active, repository.deleted_at,
       source.deleted_at as source_deleted_at
     from subscription left join repository on repository.id = subscription.repo_id
       left join repository source on source.id = subscription.source_repo_id
     where subscription.repo_id = $1 and subscription_id = $2`,
    [homeId, subscriptionId],
  );
  return (
    row && {
      name: row.name,
      webhookUrl: row.webhook_url,
      fallbackWebhookUrl: row.fallback_webhook_url,
      credentialSetId: row.credential_set_id,
      active: row.active === 1,
      deleted: row.deleted_at !== null || row.source_deleted_at !== null,
    }
  );
}
