import type { Page } from 'playwright-core';
import { type Person, unique } from '../support/api.ts';
import { createFlagWithStrategy } from '../support/flag.ts';
import { logIn } from '../support/log-in.ts';
import { watchStates } from './states.ts';
import { acceptDialogs, type World } from './world.ts';

export const STEPS = [
  'edit',
  'save',
  'save, response lost',
  'save during a restart',
  'restart',
  'second editor',
  'session end',
  'reload',
  'toggle',
  'toggle, response lost',
  'toggle rejected',
] as const;
export type Step = (typeof STEPS)[number];

export type Problem = { step: number; description: string };

/** Longer than a minute, because a server that was killed during a request rejects retries of that request for a minute. */
const MAX_WAIT_MS = 150_000;
const DISMISS_TIMEOUT_MS = 2000;

/**
 * Runs the steps in a page, and returns the differences between the page and a model. The model tracks what the user typed, what the
 * server stored, and whether somebody else changed the strategy.
 */
export async function runSequence(world: World, steps: readonly Step[]): Promise<Problem[]> {
  const { loadBalancer } = world;
  const context = await world.browser.newContext({ baseURL: loadBalancer.url, reducedMotion: 'reduce' });
  try {
    return await runSteps(world, await context.newPage(), steps);
  } finally {
    loadBalancer.responsesToLose = 0;
    delete loadBalancer.broken;
    await context.close();
  }
}

async function runSteps(world: World, page: Page, steps: readonly Step[]): Promise<Problem[]> {
  const { api, loadBalancer, person } = world;
  const { pagePath, base, strategies, id } = await createFlagWithStrategy(api);
  page.setDefaultTimeout(MAX_WAIT_MS);
  acceptDialogs(page);
  await logIn(page, person);
  // The login dialog can appear at any time and covers the page, so Playwright logs in before it continues with a click.
  await page.addLocatorHandler(getPasswordField(page), async () => void (await logInAgain(page, world)));
  await page.goto(`${pagePath}?edit=${id}`);

  const problems: Problem[] = [];
  const model = {
    savedTitle: 'Gradual rollout',
    typedTitle: undefined as string | undefined,
    hasConcurrentChange: false,
  };
  const title = page.getByRole('textbox', { name: 'Title' });
  const conflict = page.getByText('while you were editing it');
  const dismissButton = page.getByRole('button', { name: 'Dismiss' });
  await title.waitFor();
  const states = await watchStates(page);

  const readSavedTitle = async () => (await api.send<{ title: string }>('GET', `${strategies}/${id}`)).title;
  const readEnabled = async () =>
    (await api.send<{ enabled: boolean }>('GET', `${base}/environments/development`)).enabled;

  /** Opens the editor, which closes after a save. */
  const openEditor = async () => {
    if (await title.isVisible()) return;
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await title.waitFor();
  };
  /** Logs in when the page asks for a login, and resolves conflicts, until the page is idle. */
  const settle = async (step: number) => {
    const startedAt = Date.now();
    for (let quietRoundCount = 0; quietRoundCount < 3; ) {
      if (Date.now() - startedAt > MAX_WAIT_MS)
        return void problems.push({ step, description: 'the page does not become idle' });
      const hadWork =
        (await logInAgain(page, world)) || (await resolveConflict(step)) || (await isBusy(page));
      quietRoundCount = hadWork ? 0 : quietRoundCount + 1;
      await page.waitForTimeout(100);
    }
  };
  const resolveConflict = async (step: number): Promise<boolean> => {
    if (!(await conflict.isVisible())) return false;
    if (!model.hasConcurrentChange)
      problems.push({ step, description: "a conflict with the user's own change" });
    model.hasConcurrentChange = false;
    await page.getByRole('button', { name: 'Continue with mine' }).click();
    return true;
  };
  const save = async (step: number) => {
    const button = page.getByRole('button', { name: /^Save to production/ });
    if (model.typedTitle === undefined || !(await button.isEnabled())) return;
    await button.click();
    await settle(step);
    // The editor is still open after a conflict, so the user saves a second time.
    if (await button.isVisible().catch(() => false)) {
      if (await button.isEnabled()) await button.click();
      await settle(step);
    }
    const titleNow = await readSavedTitle();
    if (titleNow === model.typedTitle) {
      model.savedTitle = model.typedTitle;
      model.typedTitle = undefined;
      model.hasConcurrentChange = false;
    } else
      problems.push({
        step,
        description: `"${model.typedTitle}" is not saved: the server has "${titleNow}"`,
      });
  };
  const toggle = async (step: number, isRejected = false) => {
    const stateBefore = await readEnabled();
    states.expect([stateBefore, !stateBefore]);
    // Ignores a failed click, because the message may have disappeared by itself.
    while ((await dismissButton.count()) > 0)
      await dismissButton
        .first()
        .click({ timeout: DISMISS_TIMEOUT_MS })
        .catch(() => {});
    await page.getByRole('switch', { name: 'Enabled in development' }).click();
    // Waits for the message, because nothing else on the page shows that a toggle is still running.
    await page.getByText(/(is|was not) (enabled|disabled) in development\./).waitFor();
    await settle(step);
    const stateNow = await readEnabled();
    states.expect([stateNow]);
    if (stateNow !== (isRejected ? stateBefore : !stateBefore))
      problems.push({ step, description: 'a toggle did not take effect' });
  };

  states.expect([await readEnabled()]);
  for (const [step, name] of steps.entries()) {
    await openEditor();
    if (name === 'edit') {
      model.typedTitle = `Mine ${unique()}`;
      await title.fill(model.typedTitle);
    }
    if (name === 'save') await save(step);
    if (name === 'save, response lost') {
      loadBalancer.responsesToLose = 1 + (step % 2);
      await save(step);
    }
    if (name === 'save during a restart') await Promise.all([world.restart(), save(step)]);
    if (name === 'restart') await world.restart();
    if (name === 'second editor') {
      model.savedTitle = `Theirs ${unique()}`;
      await api.send('PATCH', `${strategies}/${id}`, [
        { op: 'replace', path: '/title', value: model.savedTitle },
      ]);
      model.hasConcurrentChange = true;
    }
    if (name === 'session end') await api.send('DELETE', `/api/admin/user-admin/${person.id}/sessions`);
    if (name === 'reload') {
      states.pause();
      await page.reload();
      await title.or(conflict).or(getPasswordField(page)).first().waitFor();
      await logInAgain(page, world);
      await title.or(conflict).first().waitFor();
      await states.resume();
    }
    if (name === 'toggle') await toggle(step);
    if (name === 'toggle, response lost') {
      loadBalancer.responsesToLose = 1;
      await toggle(step);
    }
    if (name === 'toggle rejected') {
      loadBalancer.broken = { paths: /\/environments\/development\/(on|off)$/, status: 500 };
      await toggle(step, true);
      delete loadBalancer.broken;
    }
    await settle(step);
    loadBalancer.responsesToLose = 0;
    await openEditor();
    const shownTitle = await title.inputValue();
    if (model.typedTitle !== undefined && shownTitle !== model.typedTitle)
      problems.push({
        step,
        description: `lost input: "${model.typedTitle}", and the page shows "${shownTitle}"`,
      });
  }
  problems.push(...(await states.stop()).map(description => ({ step: steps.length, description })));
  return problems;
}

const getPasswordField = (page: Page) => page.getByLabel(/^Password/);

/** How long the user waits before retrying the login, which fails while the server restarts. */
const LOGIN_TIMEOUT_MS = 2000;

/** Logs in if the page asks for a login, and returns whether it did. */
async function logInAgain(page: Page, { person }: World): Promise<boolean> {
  const password = getPasswordField(page);
  if (!(await password.isVisible())) return false;
  for (const deadline = Date.now() + MAX_WAIT_MS; Date.now() < deadline; ) {
    // The form can disappear while it is being filled in, because the previous login may have succeeded late.
    await submit(page, person).catch(() => {});
    const isDone = await password.waitFor({ state: 'hidden', timeout: LOGIN_TIMEOUT_MS }).then(
      () => true,
      () => false,
    );
    if (isDone) return true;
  }
  throw new Error(`The login does not succeed: ${await page.locator('body').textContent()}`);
}

async function submit(page: Page, { username, password }: Person): Promise<void> {
  await page.getByLabel('Username or email address').fill(username, { timeout: LOGIN_TIMEOUT_MS });
  await getPasswordField(page).fill(password, { timeout: LOGIN_TIMEOUT_MS });
  await page.getByRole('button', { name: 'Log in' }).click({ timeout: LOGIN_TIMEOUT_MS });
}

/** Returns whether a change is under way or the server is unreachable. */
const isBusy = (page: Page): Promise<boolean> =>
  page.evaluate(
    () =>
      document.querySelector('[data-loading]') !== null ||
      /not saved yet|not available at the moment|has not responded/.test(document.body.textContent ?? ''),
  );
