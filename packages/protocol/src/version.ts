/** The version of all packages; they are released together. */
export const VERSION = '0.1.0';

/** The export format (spec 9); a resume with another one is refused with 412. */
export const EXPORT_FORMAT_VERSION = 1;
