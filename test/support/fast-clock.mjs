// Loaded into each thread of a server whose clock is ten minutes fast.
const AHEAD_MS = 600_000;
const RealDate = Date;

globalThis.Date = class FastDate extends RealDate {
  constructor(...parts) {
    super(...(parts.length === 0 ? [Date.now()] : parts));
  }

  static now() {
    return RealDate.now() + AHEAD_MS;
  }
};
