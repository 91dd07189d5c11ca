import type { Page } from 'playwright-core';

/** The browser logs every 4xx response. These are no problems, because the page shows the error and tests check what the page shows. */
const REJECTION_MESSAGE = /^Failed to load resource: the server responded with a status of 4\d\d/;

/** Collects the problems of a page, which are exceptions, logged errors and warnings, policy violations and 5xx responses. */
export function watchProblems(page: Page): () => string[] {
  const problems: string[] = [];
  page.on('console', message => {
    const isError = ['error', 'warning'].includes(message.type());
    if (isError && !REJECTION_MESSAGE.test(message.text()))
      problems.push(`${page.url()}: logged ${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', error => problems.push(`${page.url()}: threw ${error.stack ?? error.message}`));
  page.on('response', response => {
    if (response.status() >= 500)
      problems.push(`${page.url()}: ${response.url()} responded with ${response.status()}`);
  });
  return () => problems;
}
