// Work that is asked for again while it runs is done once more after that, however often it was asked for.

export class OnceAtATime {
  readonly #work: () => Promise<void>;
  readonly #onError: (error: unknown) => void;
  #asked = false;
  #running = false;

  constructor(work: () => Promise<void>, onError: (error: unknown) => void) {
    this.#work = work;
    this.#onError = onError;
  }

  ask(): void {
    this.#asked = true;
    if (!this.#running) void this.#run();
  }

  /** What fails is not tried again before it is asked for again. */
  async #run(): Promise<void> {
    this.#running = true;
    try {
      while (this.#asked) {
        this.#asked = false;
        await this.#work();
      }
    } catch (error) {
      this.#onError(error);
    } finally {
      this.#running = false;
    }
  }
}
