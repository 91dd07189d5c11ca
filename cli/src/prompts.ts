// This module is loaded only for a prompt, because @clack/prompts takes as long to load as all other code.
import { isCancel, password, text } from '@clack/prompts';
import { interruption, usageError } from './errors.ts';

async function readInput(prompt: Promise<string | symbol>): Promise<string> {
  const input = await prompt;
  if (isCancel(input) || typeof input !== 'string') throw interruption();
  return input;
}

/** Prompts go to standard error, so that standard output contains only data. */
const output = process.stderr;

export const askForText = (message: string, initialValue = ''): Promise<string> =>
  readInput(
    text({ message, initialValue, output, validate: value => (value ? undefined : 'Enter a value.') }),
  );

export const askForSecret = (message: string): Promise<string> =>
  readInput(password({ message, output, validate: value => (value ? undefined : 'Paste the token.') }));

export async function askForName(effect: string, name: string): Promise<void> {
  const input = await readInput(text({ message: `${effect} Type ${name} to confirm.`, output }));
  if (input !== name)
    throw usageError(
      `You typed ${JSON.stringify(input)} instead of ${JSON.stringify(name)}. Nothing was changed.`,
    );
}
