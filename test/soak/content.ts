// Record content, derived from a key and a number. A comparison can recompute it instead of keeping what was sent.

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

export function keyIn(data: unknown): string | undefined {
  const { label } = (data ?? {}) as Partial<Content>;
  return typeof label === 'string' ? label.split(' ')[1] : undefined;
}
