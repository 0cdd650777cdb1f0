// On systems without a language browsers name one that they cannot read themselves, such as `en-US@posix`. Libraries that
// format by it would fail, and what draws the plot already when it is loaded.
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
}

export {};
