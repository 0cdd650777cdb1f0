// Errors found by a run. The run continues after an error, so that one error does not hide another.

/**
 * `lost`: acknowledged, but missing. `phantom`: present, but never sent. `sequence`: not dense, not in order, or
 * different from the answer. `changed`: different from what was sent or read before. `answer`: a wrong refusal.
 * `check`: rows that contradict each other.
 */
export const FINDING_KINDS = [
  'lost',
  'phantom',
  'sequence',
  'changed',
  'live',
  'delivery',
  'export',
  'answer',
  'check',
] as const;
export type FindingKind = (typeof FINDING_KINDS)[number];
export type FindingCounts = Record<FindingKind, number>;

/** Keeps the report readable. */
const KEPT_MAX = 100;

export interface Finding {
  readonly kind: FindingKind;
  readonly sentence: string;
}

export class Findings {
  readonly counts = Object.fromEntries(FINDING_KINDS.map((kind) => [kind, 0])) as FindingCounts;
  /** The first findings, each prefixed with its kind. */
  readonly sentences: string[] = [];

  add(kind: FindingKind, sentence: string): void {
    this.counts[kind] += 1;
    if (this.sentences.length < KEPT_MAX) this.sentences.push(`${kind}: ${sentence}`);
  }

  addFinding(finding: Finding | undefined): void {
    if (finding !== undefined) this.add(finding.kind, finding.sentence);
  }

  get total(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }
}
