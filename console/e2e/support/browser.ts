import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const FLAGS = [
  // Chromium cannot use its sandbox as root, which is the user in most containers.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Debian's builds of Chromium. The headless shell comes first, because it needs only two thirds of the CPU time. */
const EXECUTABLES = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** Starts the browser in the CHROMIUM variable. Without the variable, it starts Debian's Chromium or, if that is missing, Playwright's. */
export const launch = (flags: readonly string[] = []): Promise<Browser> => {
  const executablePath = process.env.CHROMIUM ?? EXECUTABLES.find(existsSync);
  return chromium.launch({ ...(executablePath && { executablePath }), args: [...FLAGS, ...flags] });
};
