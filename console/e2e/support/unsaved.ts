import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { expectAccessible } from './accessible.ts';

/** Expects each action that leaves the page to ask for confirmation. Cancel and Esc keep the input, and only Discard changes leaves. */
export async function expectDiscardConfirmation(
  page: Page,
  input: Locator,
  leaveActions: (() => Promise<unknown>)[],
): Promise<void> {
  const confirmation = page.getByRole('dialog', { name: 'Discard changes?' });
  const typedText = await input.inputValue();
  for (const leave of leaveActions)
    for (const stay of [
      () => confirmation.getByRole('button', { name: 'Cancel', exact: true }).click(),
      () => page.keyboard.press('Escape'),
    ]) {
      await leave();
      await confirmation.waitFor();
      await stay();
      await confirmation.waitFor({ state: 'hidden' });
      expect(await input.inputValue()).toBe(typedText);
    }
  await leaveActions[0]?.();
  await confirmation.waitFor();
  await expectAccessible(page);
  await confirmation.getByRole('button', { name: 'Discard changes' }).click();
  await input.waitFor({ state: 'detached' });
  expect(await confirmation.isVisible()).toBe(false);
}
