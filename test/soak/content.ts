// What records hold: made from their key and a number, so that what was sent need not be kept to be compared.

const WORDS = ['granite', 'moss', 'ridge', 'lichen', 'scree', 'tarn', 'heather', 'quartz'] as const;

export interface Content {
  readonly n: number;
  readonly label: string;
}

export const SHAPES = [
  { kind: 'shape', name: 'Item', data: { fields: { n: { type: 'number', indexed: true }, label: 'string' } } },
  { kind: 'shape', name: 'Claim', data: { fields: { n: 'number', label: 'string' } } },
] as const;

export function contentOf(key: string, n: number): Content {
  return { n, label: `${WORDS[n % WORDS.length]} ${key}` };
}

/** Of data that was read. */
export function keyIn(data: unknown): string | undefined {
  const { label } = (data ?? {}) as Partial<Content>;
  return typeof label === 'string' ? label.split(' ')[1] : undefined;
}
