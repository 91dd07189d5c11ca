import type { Page } from 'playwright-core';

/**
 * The browser logs every 4xx response, which is not a problem: the page shows the error, and tests check what the page shows.
 * A server that is too busy also responds to requests with 503, including requests for style sheets and scripts, which the console
 * retries.
 */
const REJECTION_MESSAGE =
  /^Failed to load resource: the server responded with a status of (4\d\d|503)|^Refused to (apply style|execute script) .*'application\/json'/;

/**
 * Collects a page's problems: exceptions, logged errors and warnings, policy violations and 5xx responses. A 503 with Retry-After is
 * not a problem.
 */
export function watchProblems(page: Page): () => string[] {
  const problems: string[] = [];
  page.on('console', message => {
    const isError = ['error', 'warning'].includes(message.type());
    if (isError && !REJECTION_MESSAGE.test(message.text()))
      problems.push(`${page.url()}: logged ${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', error => problems.push(`${page.url()}: threw ${error.stack ?? error.message}`));
  page.on('response', response => {
    const isBusy = response.status() === 503 && 'retry-after' in response.headers();
    if (response.status() >= 500 && !isBusy)
      problems.push(`${page.url()}: ${response.url()} responded with ${response.status()}`);
  });
  return () => problems;
}
