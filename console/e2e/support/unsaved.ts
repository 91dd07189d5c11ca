import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { accessible } from './accessible.ts';

/** Expects that each way to leave the page asks for confirmation. Cancel and Esc keep the input, and only Discard changes leaves. */
export async function asksBeforeInputIsLost(
  page: Page,
  input: Locator,
  ways: (() => Promise<unknown>)[],
): Promise<void> {
  const question = page.getByRole('dialog', { name: 'Discard changes?' });
  const typed = await input.inputValue();
  for (const leave of ways)
    for (const stay of [
      () => question.getByRole('button', { name: 'Cancel', exact: true }).click(),
      () => page.keyboard.press('Escape'),
    ]) {
      await leave();
      await question.waitFor();
      await stay();
      await question.waitFor({ state: 'hidden' });
      expect(await input.inputValue()).toBe(typed);
    }
  await ways[0]?.();
  await question.waitFor();
  await accessible(page);
  await question.getByRole('button', { name: 'Discard changes' }).click();
  await input.waitFor({ state: 'detached' });
  expect(await question.isVisible()).toBe(false);
}
