/**
 * Returns the headers of a page or file under `/__sim`. It runs the console's own files and nothing else: no inline
 * script, no other origin, no text of a request as HTML, and no page can frame it. `styles`: the source of its styles.
 */
export function pageHeaders(styles = "'self'"): Record<string, string> {
  return {
    'Content-Security-Policy':
      `default-src 'none'; script-src 'self'; style-src ${styles}; connect-src 'self'; img-src 'self' data:; ` +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    'Referrer-Policy': 'no-referrer',
  }
}
