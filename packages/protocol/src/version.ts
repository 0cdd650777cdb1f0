/** The version of all packages; they are released together. */
export const VERSION = '0.1.0';

/** Export format version (spec 9); the server refuses to resume with another one (412). */
export const EXPORT_FORMAT_VERSION = 1;
