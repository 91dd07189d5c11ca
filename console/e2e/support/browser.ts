import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const FLAGS = [
  // As root, as in most containers, Chromium has no sandbox.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Debian's Chromium. The one without windows takes two thirds of the CPU time. */
const PROGRAMS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** The browser in the variable CHROMIUM, otherwise Debian's, otherwise the one that Playwright installed. */
export const launch = (flags: readonly string[] = []): Promise<Browser> => {
  const executablePath = process.env.CHROMIUM ?? PROGRAMS.find(existsSync);
  return chromium.launch({ ...(executablePath && { executablePath }), args: [...FLAGS, ...flags] });
};
