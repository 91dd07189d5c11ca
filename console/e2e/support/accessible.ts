import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rules whose result depends on colors. The schemes differ only in colors, so the other rules run once. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

type Scheme = 'light' | 'dark';
type Part = 'all' | 'changed';

/** Each test checks only one color scheme, because axe takes 0.3 s of CPU time for a whole page. About half of the tests use dark. */
const getTestScheme = (): Scheme =>
  (expect.getState().currentTestName ?? '').length % 2 === 0 ? 'light' : 'dark';

/**
 * Expects that axe finds no violations, in light or in dark mode. While a dialog is open, axe checks only the open dialogs. Otherwise,
 * axe checks the page without the sidebar.
 */
export const expectAccessible = (page: Page): Promise<void> => check(page, [getTestScheme()], 'changed');

/** Expects that axe finds no violations on the whole page, in light and in dark mode. */
export const expectAccessibleInBothModes = (page: Page): Promise<void> =>
  check(page, ['light', 'dark'], 'all');

async function check(page: Page, schemes: Scheme[], part: Part): Promise<void> {
  await loadAxe(page);
  const schemeBefore = await readScheme(page);
  for (const [index, scheme] of schemes.entries()) {
    await setScheme(page, scheme);
    const violations = await findViolations(page, part, index > 0 ? COLOR_RULES : undefined);
    expect(violations, `violations in ${scheme} at ${page.url()}`).toEqual([]);
  }
  await setScheme(page, schemeBefore);
}

/** Evaluates axe through the debugger, because the console's content security policy blocks script elements that a test adds. */
async function loadAxe(page: Page): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
}

const readScheme = (page: Page): Promise<string> =>
  page.evaluate(() => document.documentElement.getAttribute('data-mantine-color-scheme') ?? 'light');

const setScheme = (page: Page, scheme: string): Promise<void> =>
  page.evaluate(name => document.documentElement.setAttribute('data-mantine-color-scheme', name), scheme);

/** Returns a line for each violation, with the first elements that cause the violation. */
async function findViolations(page: Page, part: Part, onlyRules?: string[]): Promise<string[]> {
  const found = await page.evaluate(
    async ([names, where]) => {
      const { axe: rules } = globalThis as unknown as { axe: typeof axe };
      const runOnly = names && { runOnly: { type: 'rule' as const, values: names } };
      // Dialogs, and the menus and messages above the dialogs.
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
    [onlyRules, part] as const,
  );
  return found.map(
    ({ id, help, nodes }) =>
      `${id}: ${help}: ${nodes
        .slice(0, 3)
        .map(({ html, failureSummary }) => `${html.slice(0, 200)} ${failureSummary ?? ''}`)
        .join(' | ')}`,
  );
}
