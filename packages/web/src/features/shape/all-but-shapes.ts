/** Shapes stand among the records, and have names without a slash: this glob matches all others. */
export const ALL_BUT_SHAPES = '*/**';
