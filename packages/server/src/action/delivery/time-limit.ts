// Bounds the wait for something that cannot be ended itself, such as the look-up of a name.
import { connectTimeout } from './failure.ts';

interface Bounds {
  readonly connectMs: number;
  readonly signal?: AbortSignal | undefined;
}

export async function withinTime<Result>(work: Promise<Result>, { connectMs, signal }: Bounds): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(connectTimeout(connectMs)), connectMs);
  const abort = () => reject(signal?.reason);
  signal?.addEventListener('abort', abort);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
