// How the operations of a commit are counted to who sent them: by their index, or by their line in a stream.

export interface Places {
  numberOf(opIndex: number): number;
  /** `operation 3`, `line 418`. */
  nameOf(place: number): string;
  /** Said once, where people might count otherwise. */
  readonly counting: string;
  /** What they are part of. */
  readonly whole: string;
  /** What to do where one that fails refuses all. */
  readonly advice: string;
}

export const OPERATION_PLACES: Places = {
  numberOf: (opIndex) => opIndex,
  nameOf: (place) => `operation ${place}`,
  counting: ' (counted from 0)',
  whole: 'this commit',
  advice: 'Mend the operations that are named, or send atomic: false to apply the others.',
};
