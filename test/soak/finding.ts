// What a run has found to be wrong. It goes on meanwhile, so that one fault does not hide another.

/**
 * `lost`: acknowledged, and not there. `phantom`: there, and never sent. `sequence`: not dense, not in order, or another one than
 * was told. `changed`: not as it was sent, or not as it was read before. `answer`: a refusal that is not right. `check`: rows that
 * do not agree with each other.
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

/** All of them would be no help to anyone. */
const KEPT_MAX = 100;

export interface Finding {
  readonly kind: FindingKind;
  readonly sentence: string;
}

export class Findings {
  readonly counts = Object.fromEntries(FINDING_KINDS.map((kind) => [kind, 0])) as FindingCounts;
  /** The first ones, each with its kind in front. */
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
