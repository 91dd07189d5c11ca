import { setConnection } from './session.ts';

/** The wait between two attempts doubles from the minimum to the maximum. */
const MIN_WAIT_SECONDS = 1;
const MAX_WAIT_SECONDS = 5;
/**
 * After this many failures, the banner offers a reload even if the server still has this page's version, because some browsers
 * cache a failed import, so that retries never succeed.
 */
const MAX_FAILURES = 5;

/** Whether the error is one that browsers and Vite report for a missing file. Any other error is a bug in the code. */
const isMissingFile = (error: unknown): boolean =>
  error instanceof Error && /dynamically imported|module script|preload CSS/i.test(error.message);

const failedStyles = new Set<HTMLLinkElement>();
document.addEventListener(
  'error',
  ({ target }) => {
    if (target instanceof HTMLLinkElement && target.rel === 'stylesheet') failedStyles.add(target);
  },
  true,
);

/**
 * Loads a part of the console on demand. While the server is unreachable, the current page stays open and the load is retried. After a
 * server update, which removes this version's files, the banner offers a reload.
 */
export async function loadChunk<T>(load: () => Promise<T>): Promise<T> {
  let failureCount = 0;
  for (let waitSeconds = MIN_WAIT_SECONDS; ; waitSeconds = Math.min(waitSeconds * 2, MAX_WAIT_SECONDS)) {
    try {
      await restoreStyles();
      const chunk = await load();
      // Clears the banner here, because a page that sends no requests would never clear it.
      if (waitSeconds > MIN_WAIT_SECONDS) setConnection({ unavailable: false });
      return chunk;
    } catch (error) {
      if (!isMissingFile(error)) throw error;
    }
    const version = await compareVersion();
    setConnection({ unavailable: version === 'unknown' });
    if (version === 'same') failureCount++;
    if (version === 'different' || failureCount === MAX_FAILURES) {
      setConnection({ outdated: true });
      return await new Promise<never>(() => {}); // The page waits for the reload.
    }
    await new Promise(resolve => {
      setTimeout(resolve, waitSeconds * 1000);
      // The signal removes the listener when the wait is over.
      addEventListener('online', resolve, { once: true, signal: AbortSignal.timeout(waitSeconds * 1000) });
    });
  }
}

let restoration: Promise<unknown> | undefined;

/** Reloads the style sheets that failed to load, because Vite does not retry and would show an unstyled page. */
function restoreStyles(): Promise<unknown> {
  restoration ??= Promise.all([...failedStyles].map(restoreStyle)).finally(() => {
    restoration = undefined;
  });
  return restoration;
}

const restoreStyle = (failedLink: HTMLLinkElement): Promise<void> =>
  new Promise((resolve, reject) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.crossOrigin = failedLink.crossOrigin;
    link.href = failedLink.href;
    link.onload = () => resolve();
    link.onerror = () => reject(new Error(`Unable to preload CSS for ${link.href}`));
    failedStyles.delete(failedLink);
    failedLink.replaceWith(link);
  });

/** Compares the console version on the server with the version of this page. */
async function compareVersion(): Promise<'same' | 'different' | 'unknown'> {
  const script = document.querySelector('script[type=module]')?.getAttribute('src');
  const response = await fetch('/index.html', { cache: 'no-cache' }).catch(() => undefined);
  const page = response?.ok && (await response.text().catch(() => undefined));
  if (!page || !script) return 'unknown';
  return page.includes(script) ? 'same' : 'different';
}
