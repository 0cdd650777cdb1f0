// Browsers on systems without a locale report an invalid language such as `en-US@posix`. The plot library passes it to
// `Intl` when it loads, which throws.
try {
  Intl.getCanonicalLocales(navigator.language);
} catch {
  Object.defineProperty(navigator, 'language', { value: 'en', configurable: true });
}

export {};
