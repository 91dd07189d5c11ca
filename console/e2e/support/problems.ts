import type { Page } from 'playwright-core';

/** The browser logs responses with 4xx. The page shows them, and tests check what it shows. */
const REJECTED = /^Failed to load resource: the server responded with a status of 4\d\d/;

/** Collects errors of the page: exceptions, logged errors, policy violations, responses with 5xx. */
export function watchProblems(page: Page): () => string[] {
  const problems: string[] = [];
  page.on('console', message => {
    const isError = ['error', 'warning'].includes(message.type());
    if (isError && !REJECTED.test(message.text()))
      problems.push(`${page.url()}: logged ${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', error => problems.push(`${page.url()}: threw ${error.stack ?? error.message}`));
  page.on('response', response => {
    if (response.status() >= 500)
      problems.push(`${page.url()}: ${response.url()} responded with ${response.status()}`);
  });
  return () => problems;
}
