// Counts deliveries of this node, for its metrics.
import type { AttemptOutcome } from '@cairn/protocol/subscription-event';

export class DeliveryMeter {
  /** Requests that are under way. */
  inFlight = 0;
  readonly outcomes = new Map<AttemptOutcome, number>();

  count(outcome: AttemptOutcome): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }
}
