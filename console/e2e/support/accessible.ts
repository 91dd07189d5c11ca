import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules whose result depends on colors. The schemes differ in colors only, so the others run once. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

type Scheme = 'light' | 'dark';
type Part = 'all' | 'changed';

/** Half of the tests look at dark colors. A run of axe on a whole page takes 0.3 s of CPU time. */
const schemeOfTest = (): Scheme =>
  (expect.getState().currentTestName ?? '').length % 2 === 0 ? 'light' : 'dark';

/**
 * Expects that axe finds no violations of its rules, in light or in dark, in what the test has changed: in the open dialogs, or
 * without one, in everything but the sidebar.
 */
export const accessible = (page: Page): Promise<void> => check(page, [schemeOfTest()], 'changed');

/** Expects no violations on the whole page, in light and in dark. */
export const accessibleInBoth = (page: Page): Promise<void> => check(page, ['light', 'dark'], 'all');

async function check(page: Page, schemes: Scheme[], part: Part): Promise<void> {
  await loadAxe(page);
  const before = await schemeOf(page);
  for (const [at, scheme] of schemes.entries()) {
    await setScheme(page, scheme);
    const found = await violations(page, part, at > 0 ? COLOR_RULES : undefined);
    expect(found, `violations in ${scheme} at ${page.url()}`).toEqual([]);
  }
  await setScheme(page, before);
}

/** The console's policy does not let a page add a script. It does not apply to the debugger, which Playwright uses. */
async function loadAxe(page: Page): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
}

const schemeOf = (page: Page): Promise<string> =>
  page.evaluate(() => document.documentElement.getAttribute('data-mantine-color-scheme') ?? 'light');

const setScheme = (page: Page, scheme: string): Promise<void> =>
  page.evaluate(name => document.documentElement.setAttribute('data-mantine-color-scheme', name), scheme);

/** One line for each violation, with the first elements that cause it. */
async function violations(page: Page, part: Part, only?: string[]): Promise<string[]> {
  const found = await page.evaluate(
    async ([names, where]) => {
      const { axe: rules } = globalThis as unknown as { axe: typeof axe };
      const runOnly = names && { runOnly: { type: 'rule' as const, values: names } };
      // Dialogs, and the menus and messages over them.
      const layers = [...document.querySelectorAll('[data-portal]')];
      const changed = document.querySelector('[aria-modal=true]')
        ? { include: layers }
        : { include: [document], exclude: [...document.querySelectorAll('nav[aria-label=Main]')] };
      const { violations } = await rules.run(where === 'all' ? document : changed, {
        resultTypes: ['violations'],
        ...runOnly,
      });
      return violations;
    },
    [only, part] as const,
  );
  return found.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes
        .slice(0, 3)
        .map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary ?? ''}`)
        .join(' | ')}`,
  );
}
