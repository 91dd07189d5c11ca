import { setConnection } from './session.ts';

/** Seconds before the next attempt. */
const FIRST_WAIT = 1;
const LONGEST_WAIT = 5;
/** Attempts while the server is reachable and has this version. Some browsers remember that a script is missing. */
const MAX_FAILURES = 5;

/** Browsers and Vite report these errors when a file is missing. Any other error is a bug in the code. */
const isMissing = (error: unknown): boolean =>
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
 * Loads a part of the console that is not loaded yet. While the server is unreachable it waits and retries, and the current page
 * stays. After an update of the server, which removes the files of this version, the banner offers a reload.
 */
export async function loadChunk<T>(load: () => Promise<T>): Promise<T> {
  let failures = 0;
  for (let wait = FIRST_WAIT; ; wait = Math.min(wait * 2, LONGEST_WAIT)) {
    try {
      await restoreStyles();
      const loaded = await load();
      // Clears the banner, because a page without requests would leave it in place.
      if (wait > FIRST_WAIT) setConnection({ unavailable: false });
      return loaded;
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    const version = await readVersion();
    setConnection({ unavailable: version === 'unknown' });
    if (version === 'same') failures++;
    if (version === 'other' || failures === MAX_FAILURES) {
      setConnection({ outdated: true });
      return await new Promise<never>(() => {}); // Until the user reloads.
    }
    await new Promise(resolve => {
      setTimeout(resolve, wait * 1000);
      // The signal removes the listener of a wait that has ended.
      addEventListener('online', resolve, { once: true, signal: AbortSignal.timeout(wait * 1000) });
    });
  }
}

let restoring: Promise<unknown> | undefined;

/** Reloads the style sheets that failed. Vite does not, and would show a page without them. */
function restoreStyles(): Promise<unknown> {
  restoring ??= Promise.all([...failedStyles].map(restoreStyle)).finally(() => {
    restoring = undefined;
  });
  return restoring;
}

const restoreStyle = (failed: HTMLLinkElement): Promise<void> =>
  new Promise((resolve, reject) => {
    const link = document.createElement('link');
    link.rel = 'stylesheet';
    link.crossOrigin = failed.crossOrigin;
    link.href = failed.href;
    link.onload = () => resolve();
    link.onerror = () => reject(new Error(`Unable to preload CSS for ${link.href}`));
    failedStyles.delete(failed);
    failed.replaceWith(link);
  });

/** Whether the server has the version of the console that this page belongs to. */
async function readVersion(): Promise<'same' | 'other' | 'unknown'> {
  const script = document.querySelector('script[type=module]')?.getAttribute('src');
  const response = await fetch('/index.html', { cache: 'no-cache' }).catch(() => undefined);
  const page = response?.ok && (await response.text().catch(() => undefined));
  if (!page || !script) return 'unknown';
  return page.includes(script) ? 'same' : 'other';
}
